import { describe, expect, it } from 'vitest';
import { chatCodec } from '../dialects/chat/codec.ts';
import { NativeLane } from '../dialects/lanes.ts';
import type { Clock } from '../ports/clock.ts';
import type { Transport, UpstreamHandler } from '../ports/transport.ts';
import { vocabularyFor } from '../providers/vocabularies.ts';
import { Attempt, type AttemptListener, type AttemptSpec } from './run-attempt.ts';

const CLOCK: Clock = { wall: () => 0, now: () => 0, after: () => () => undefined };

/** An attempt whose reading breaks, with what its listener heard and whether the call was aborted. */
function brokenAttempt(spec: Partial<AttemptSpec>): { handler: UpstreamHandler; told: string[] } {
  const told: string[] = [];
  const listener: AttemptListener = {
    attemptReady: () => told.push('ready'),
    attemptFailed: () => told.push('failed'),
    attemptBytes: () => true,
    attemptCompleted: () => told.push('completed'),
    attemptInterrupted: () => told.push('interrupted'),
    attemptCrashed: (_attempt, error) => told.push(`crashed: ${(error as Error).message}`),
  };
  const whole: AttemptSpec = {
    no: 1,
    upstream: { url: 'http://x/', headers: [], body: new Uint8Array(0), connectTimeoutMs: 1, proxy: null, guard: null },
    lane: new NativeLane(chatCodec),
    vocabulary: vocabularyFor('generic'),
    mask: (text) => text,
    guard: (text) => text,
    stream: false,
    tap: {
      servedModel: 'm',
      includeUsage: false,
      n: 1,
      maxEventBytes: 1,
      maxPreludeBytes: 1,
      holdAll: false,
      maxHeldBytes: 1,
    },
    timeoutMs: 1000,
    firstTokenTimeoutMs: null,
    idleTimeoutMs: 1000,
    stallTimeoutMs: 1000,
    maxAnswerBytes: 1000,
    ...spec,
  };
  let handler: UpstreamHandler | null = null;
  const transport: Transport = {
    call(_request, given) {
      handler = given;
      return { abort: () => told.push('aborted'), resume: () => undefined, sent: true };
    },
    close: () => Promise.resolve(),
  };
  new Attempt(whole, CLOCK, listener).start(transport);
  return { handler: handler!, told };
}

function fault(): never {
  throw new Error('a bug in reading');
}

describe('Attempt', () => {
  it('E-5: a fault while classifying is told once and ends the call, whichever callback meets it', () => {
    const lane = new NativeLane({ ...chatCodec, classify: fault });
    const ended = brokenAttempt({ lane });
    ended.handler.onHead(500, {});
    ended.handler.onEnd();
    ended.handler.onEnd();
    expect(ended.told).toEqual(['aborted', 'crashed: a bug in reading']);
    const reset = brokenAttempt({ lane });
    reset.handler.onHead(500, {});
    reset.handler.onFault({ kind: 'reset', sent: true, reused: false });
    expect(reset.told).toEqual(['aborted', 'crashed: a bug in reading']);
  });

  it('E-5: a fault while reading a stream is told once; later bytes are ignored', () => {
    const lane = new NativeLane({ ...chatCodec, streamTap: fault });
    const { handler, told } = brokenAttempt({ lane, stream: true });
    handler.onHead(200, { 'content-type': 'text/event-stream' });
    expect(handler.onData(Buffer.from('data: {}\n\n'))).toBe(true);
    handler.onData(Buffer.from('data: {}\n\n'));
    expect(told).toEqual(['aborted', 'crashed: a bug in reading']);
  });
});
