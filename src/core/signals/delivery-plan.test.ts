import { describe, expect, it } from 'vitest';
import { MOST_TRIES, messageOf, nextWait } from './delivery-plan.ts';
import type { GatewayEvent } from './event.ts';

const event = (n: number): GatewayEvent => ({
  id: `evt_${n}`,
  type: 'key.banned',
  at: Date.UTC(2026, 10, 29, 10, 0, n),
  workspace: 'acme',
  requestId: null,
  data: { n },
});

describe('waits between tries', () => {
  it('G-7: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, then none', () => {
    const seconds = Array.from({ length: MOST_TRIES }, (_, i) => nextWait(i + 1, 0.5, null));
    expect(seconds).toEqual([5e3, 300e3, 1800e3, 7200e3, 18_000e3, 36_000e3, 50_400e3, null]);
  });

  it('G-7: each spread by a fifth to both sides', () => {
    expect(nextWait(2, 0, null)).toBe(240_000);
    expect(nextWait(2, 0.999_999_9, null)).toBe(360_000);
  });

  it('G-7: a receiver that asks for a longer wait gets it, up to a day', () => {
    expect(nextWait(1, 0.5, 60_000)).toBe(60_000);
    expect(nextWait(2, 0.5, 60_000)).toBe(300_000);
    expect(nextWait(1, 0.5, 1e12)).toBe(86_400_000);
    expect(nextWait(MOST_TRIES, 0.5, 60_000)).toBeNull();
  });
});

describe('messages', () => {
  it('G-7: one event goes as itself', () => {
    expect(messageOf([event(1)])).toEqual({
      id: 'evt_1',
      type: 'key.banned',
      timestamp: '2026-11-29T10:00:01.000Z',
      workspace: 'acme',
      request_id: null,
      data: { n: 1 },
    });
  });

  it('G-7: several go as a batch', () => {
    const message = messageOf([event(1), event(2)]);
    expect(message['type']).toBe('batch');
    expect(message['timestamp']).toBe('2026-11-29T10:00:02.000Z');
    expect(message['data']).toMatchObject([{ id: 'evt_1' }, { id: 'evt_2' }]);
  });
});
