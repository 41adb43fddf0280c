/**
 * Micro-benchmark of taps: CPU time per event for a typical 250-byte chunk, committed and drained as a relay does; passed
 * on in its own dialect, and translated from others.
 * Run after a build: node dist/bench/tap.js
 */

import type { Dialect } from '../src/core/wire-names.ts';
import { chatCodec } from '../src/dialects/chat/codec.ts';
import type { ClientRequest, StreamTapOptions } from '../src/dialects/contract.ts';
import { laneOf } from '../src/dialects/lanes.ts';

const EVENTS_PER_STREAM = 200;
const STREAMS = 2000;

/** A stream of one dialect: what opens it, an event with a token, what ends it. */
interface Played {
  readonly first: string;
  readonly event: string;
  readonly last: string;
}

function chunk(delta: string, finish = 'null'): string {
  return `data: {"id":"chatcmpl-A1B2C3D4E5F6G7H8I9J0K1L2","object":"chat.completion.chunk","created":1760000000,"model":"gpt-x-2026-01-01","service_tier":"default","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}],"usage":null}\n\n`;
}

function named(type: string, members: string): string {
  return `event: ${type}\ndata: {"type":"${type}",${members}}\n\n`;
}

const CHAT: Played = {
  first: chunk('{"role":"assistant","content":""}'),
  event: chunk('{"content":" token"}'),
  last: `${chunk('{}', '"stop"')}data: [DONE]\n\n`,
};

const MESSAGES: Played = {
  first:
    named(
      'message_start',
      '"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":4,"output_tokens":1}}',
    ) + named('content_block_start', '"index":0,"content_block":{"type":"text","text":""}'),
  event: named('content_block_delta', '"index":0,"delta":{"type":"text_delta","text":" token"}'),
  last:
    named('content_block_stop', '"index":0') +
    named('message_delta', '"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":200}') +
    named('message_stop', '"x":0'),
};

const GENERATE: Played = {
  first: '',
  event:
    'data: {"candidates":[{"content":{"parts":[{"text":" token"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":9,"totalTokenCount":13},"modelVersion":"m","responseId":"r"}\r\n\r\n',
  last: 'data: {"candidates":[{"content":{"parts":[{"text":"."}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":9,"totalTokenCount":13},"modelVersion":"m","responseId":"r"}\r\n\r\n',
};

const OPTIONS: StreamTapOptions = {
  servedModel: 'openai/gpt-x',
  includeUsage: false,
  n: 1,
  maxEventBytes: 1 << 24,
  maxPreludeBytes: 1 << 20,
  holdAll: false,
  maxHeldBytes: 1 << 23,
};
const TARGET = { upstreamModel: 'm', vendor: 'v', maxOutputTokens: null, lacks: new Set<string>() };

function chatRequest(): ClientRequest {
  const read = chatCodec.readRequest(
    Buffer.from('{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}'),
  );
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

/** ns of CPU per event, for a Chat client of an upstream that speaks `dialect`. */
function run(name: string, dialect: Dialect, played: Played, perPush: number): number {
  const pair = laneOf(chatCodec, dialect)!;
  const setup = { request: chatRequest(), target: TARGET, servedModel: 'openai/gpt-x', id: 'req_1', createdAt: 0 };
  const event = Buffer.from(played.event.repeat(perPush));
  const first = Buffer.from(played.first);
  const last = Buffer.from(played.last);
  const report = Buffer.from('{"request_id":"req_1"}');
  const round = (streams: number): number => {
    const from = process.cpuUsage();
    let bytes = 0;
    for (let s = 0; s < streams; s++) {
      const tap = pair.open(setup).streamTap(OPTIONS);
      tap.push(first);
      for (let e = 0; e < EVENTS_PER_STREAM; e += perPush) {
        tap.push(event);
        bytes += tap.drain()?.length ?? 0;
      }
      tap.push(last);
      tap.end();
      if (!tap.complete) throw new Error('not complete');
      bytes += tap.tail(report, false).length;
    }
    if (bytes === 0) throw new Error('nothing relayed');
    return (process.cpuUsage(from).user * 1000) / (streams * EVENTS_PER_STREAM);
  };
  round(STREAMS / 4);
  const best = Math.min(...Array.from({ length: 7 }, () => round(STREAMS)));
  console.log(`${name}: ${best.toFixed(0)} ns of CPU per event of ${event.length / perPush} bytes (best of 7)`);
  return best;
}

const passed = run('passed, one event per read', 'openai-chat', CHAT, 1);
run('passed, ten events per read', 'openai-chat', CHAT, 10);
for (const [name, dialect, played] of [
  ['from Messages', 'anthropic', MESSAGES],
  ['from generateContent', 'gemini', GENERATE],
] as const) {
  const crossed = run(`translated ${name}, one event per read`, dialect, played, 1);
  console.log(`  ${(crossed / passed).toFixed(2)} × passed`);
}
