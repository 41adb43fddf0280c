/**
 * Micro-benchmark of the chat tap: CPU time per event for a typical 250-byte chunk, committed and drained as a relay does.
 * Run after a build: node dist/bench/tap.js
 */
import { ChatStreamTap } from '../src/dialects/chat/stream.ts';

const EVENTS_PER_STREAM = 200;
const STREAMS = 2000;

function chunk(delta: string, finish = 'null'): string {
  return `data: {"id":"chatcmpl-A1B2C3D4E5F6G7H8I9J0K1L2","object":"chat.completion.chunk","created":1760000000,"model":"gpt-x-2026-01-01","service_tier":"default","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}],"usage":null}\n\n`;
}

function run(name: string, perPush: number): void {
  const event = Buffer.from(chunk('{"content":" token"}').repeat(perPush));
  const first = Buffer.from(chunk('{"role":"assistant","content":""}'));
  const last = Buffer.from(`${chunk('{}', '"stop"')}data: [DONE]\n\n`);
  const report = Buffer.from('{"request_id":"req_1"}');
  const round = (streams: number): number => {
    const from = process.cpuUsage();
    let bytes = 0;
    for (let s = 0; s < streams; s++) {
      const tap = new ChatStreamTap({
        servedModel: 'openai/gpt-x',
        includeUsage: false,
        n: 1,
        maxEventBytes: 1 << 24,
        maxPreludeBytes: 1 << 20,
        holdAll: false,
        maxHeldBytes: 1 << 23,
      });
      tap.push(first);
      for (let e = 0; e < EVENTS_PER_STREAM; e += perPush) {
        tap.push(event);
        bytes += tap.drain()?.length ?? 0;
      }
      tap.push(last);
      bytes += tap.tail(report, false).length;
      if (!tap.complete) throw new Error('not complete');
    }
    if (bytes === 0) throw new Error('nothing relayed');
    return (process.cpuUsage(from).user * 1000) / (streams * EVENTS_PER_STREAM);
  };
  round(STREAMS / 4);
  const best = Math.min(...Array.from({ length: 7 }, () => round(STREAMS)));
  console.log(`${name}: ${best.toFixed(0)} ns of CPU per event of ${event.length / perPush} bytes (best of 7)`);
}

run('one event per read', 1);
run('ten events per read', 10);
