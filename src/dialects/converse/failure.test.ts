import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { converseException } from '../../../test/support/converse-frames.ts';
import type { Failure, FailureClass } from '../../core/failure.ts';
import { vocabularyFor } from '../../providers/vocabularies.ts';
import type { FailureSource } from '../contract.ts';
import { classifyAnswer } from './failure.ts';
import { converseUpstream } from './translated.ts';

interface Entry {
  readonly id: string;
  readonly provider: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
  readonly in_stream: boolean;
  /** `:message-type=exception :exception-type=NAME {…}` */
  readonly event?: string;
  readonly class: FailureClass;
  readonly alt_classes?: FailureClass[];
  readonly retry_after_ms: number | null;
}

const entries = JSON.parse(
  readFileSync(new URL('./fixtures/upstream-errors.json', import.meta.url), 'utf8'),
) as Entry[];

function classified(status: number, headers: Record<string, string>, body: Uint8Array, vocabulary: string): Failure {
  const source: FailureSource = {
    status,
    headers,
    body,
    inStream: status === 200,
    vocabulary: vocabularyFor(vocabulary),
    wall: Date.UTC(2026, 10, 29),
    phase: 'body',
    mask: (text) => text,
  };
  return classifyAnswer(source);
}

/** The body of the fault that the exception's frame makes. */
function faultBody(event: string): Uint8Array {
  const [, name, payload] = /:exception-type=(\S+) (.*)$/s.exec(event) ?? [];
  const reader = converseUpstream.canonical.streamReader({
    maxEventBytes: 1 << 20,
    names: new Map(),
    vendor: '',
    emit: () => {},
  });
  reader.push(converseException(name!, payload!));
  if (reader.fault?.kind !== 'error_event') throw new Error('no error event');
  return reader.fault.body;
}

describe.each(['own', 'generic'])('F-1: recorded failures, read by the %s vocabulary', (which) => {
  it.each(entries.map((entry) => [entry.id, entry] as const))('%s', (_id, entry) => {
    const body = entry.in_stream ? faultBody(entry.event!) : Buffer.from(JSON.stringify(entry.body));
    const failure = classified(entry.status, entry.headers, body, which === 'own' ? entry.provider : 'generic');
    expect([entry.class, ...(entry.alt_classes ?? [])]).toContain(failure.class);
    expect(failure.hint?.ms ?? null).toBe(entry.retry_after_ms);
  });
});

describe('F-6: successes that are none', () => {
  const classOf = (body: unknown): Failure => classified(200, {}, Buffer.from(JSON.stringify(body)), 'bedrock');

  it('an exception without words is told by its type', () => {
    expect(classOf({ __type: 'throttlingException' })).toMatchObject({
      class: 'rate_limit',
      type: 'throttlingException',
    });
    expect(classOf({ __type: 'validationException' })).toMatchObject({ class: 'invalid_request' });
  });

  it('a reason that says failure gives its class, a filter the policy’s', () => {
    const answer = (stopReason: string): unknown => ({ output: { message: { content: [] } }, stopReason });
    expect(classOf(answer('malformed_tool_use'))).toMatchObject({ class: 'server_error', code: 'malformed_tool_use' });
    expect(classOf(answer('guardrail_intervened'))).toMatchObject({ class: 'content_policy' });
    expect(classOf(answer('end_turn'))).toMatchObject({
      class: 'malformed',
      message: 'the upstream answer is no Converse answer',
    });
  });
});
