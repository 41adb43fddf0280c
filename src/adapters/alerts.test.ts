import { describe, expect, it } from 'vitest';
import type { Alert } from '../ports/alerts.ts';
import { createAlerts } from './alerts.ts';

function book() {
  const logged: Alert[] = [];
  return { logged, alerts: createAlerts({ log: { alert: (alert) => logged.push(alert) } }) };
}

const alert = (at: number, message = 'out of credit', requestId = `req_${at}`): Alert => ({
  kind: 'quota_exhausted',
  message,
  requestId,
  at,
});

describe('alerts', () => {
  it('O-4: each is counted and remembered as a group, the latest first', () => {
    const { alerts } = book();
    alerts.raise(alert(1000));
    alerts.raise(alert(2000, 'another account'));
    alerts.raise(alert(3000));
    expect(alerts.count('quota_exhausted')).toBe(3);
    expect(alerts.count('none')).toBe(0);
    expect(alerts.recent()).toEqual([
      {
        kind: 'quota_exhausted',
        message: 'out of credit',
        firstAt: 1000,
        lastAt: 3000,
        count: 2,
        requestId: 'req_3000',
      },
      {
        kind: 'quota_exhausted',
        message: 'another account',
        firstAt: 2000,
        lastAt: 2000,
        count: 1,
        requestId: 'req_2000',
      },
    ]);
  });

  it('O-4: a storm is one line a minute that says how many it stands for', () => {
    const { alerts, logged } = book();
    for (let at = 0; at < 60_000; at += 100) alerts.raise(alert(at));
    expect(logged).toEqual([alert(0)]);
    alerts.raise(alert(60_000));
    expect(logged[1]).toEqual({ ...alert(60_000), message: 'out of credit (and 599 more like it since)' });
    alerts.raise(alert(60_100));
    expect(logged).toHaveLength(2);
  });

  it('O-4: memory is bounded; the oldest groups go first', () => {
    const { alerts } = book();
    for (let n = 0; n < 500; n += 1) alerts.raise(alert(n, `message ${n}`));
    const recent = alerts.recent();
    expect(recent).toHaveLength(200);
    expect([recent[0]?.message, recent.at(-1)?.message]).toEqual(['message 499', 'message 300']);
  });
});
