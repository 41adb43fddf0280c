import { describe, expect, it } from 'vitest';
import { REHEARSED_FAULTS, type Rehearsal } from '../core/request/rehearsal.ts';
import type { UpstreamHandler, UpstreamRequest } from '../ports/transport.ts';
import { rehearsedTransport } from './rehearsal.ts';

const REQUEST: UpstreamRequest = {
  url: 'http://upstream.invalid/v1',
  headers: [],
  body: new Uint8Array(0),
  connectTimeoutMs: 1,
  proxy: null,
  guard: null,
};

function play(failure: Rehearsal['failure'], delayMs = 0) {
  const told: unknown[] = [];
  const timers: { ms: number; callback: () => void }[] = [];
  const handler: UpstreamHandler = {
    onSent: () => void told.push('sent'),
    onHead: (status, headers) => void told.push(['head', status, headers['retry-after']]),
    onData: (bytes) => told.push(Buffer.from(bytes).toString()) > 0,
    onEnd: () => void told.push('end'),
    onFault: (fault) => void told.push(fault),
  };
  const clock = {
    after(ms: number, callback: () => void) {
      const timer = { ms, callback };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  };
  const call = rehearsedTransport({ failure, times: 1, delayMs }, clock).call(REQUEST, handler);
  return { call, told, timers };
}

describe('X-4: a failure without a call', () => {
  it('X-4: an error status with its words, after its delay and never at once', () => {
    const { told, timers } = play({ status: 429, code: 'insufficient_quota', retryAfterS: 7 }, 250);
    expect([told, timers.map(({ ms }) => ms)]).toEqual([[], [250]]);
    timers[0]!.callback();
    const error = { message: 'rehearsed by X-Understudy-Rehearse', type: 'rehearsed', param: null };
    expect(told).toEqual([
      ['head', 429, '7'],
      JSON.stringify({ error: { ...error, code: 'insufficient_quota' } }),
      'end',
    ]);
  });

  it.each([
    ['refused', { kind: 'refused' }, false],
    ['connect_timeout', { kind: 'connect_timeout' }, false],
    ['reset', { kind: 'reset', sent: true, reused: false }, true],
  ] as const)('X-4: %s', (fault, kind, sent) => {
    const { call, told, timers } = play(fault);
    expect(call.sent).toBe(sent);
    timers[0]!.callback();
    expect(told).toEqual([kind]);
  });

  it('X-4: silence holds no timer', () => {
    const { call, timers } = play('timeout', 500);
    expect([timers, call.sent]).toEqual([[], true]);
    call.abort();
  });

  it('T-6: one that is broken off tells nothing and leaves no timer', () => {
    for (const fault of REHEARSED_FAULTS) {
      const { call, told, timers } = play(fault, 1000);
      call.abort();
      call.resume();
      expect([fault, timers, told]).toEqual([fault, [], []]);
    }
  });
});
