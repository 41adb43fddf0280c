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
        workspace: null,
        signal: null,
      },
      {
        kind: 'quota_exhausted',
        message: 'another account',
        firstAt: 2000,
        lastAt: 2000,
        count: 1,
        requestId: 'req_2000',
        workspace: null,
        signal: null,
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

  it('O-4: a built-in alert is one group by its subject: told when it begins and when it is over, never held back', () => {
    const { alerts, logged } = book();
    const rate = (at: number, state: 'raised' | 'resolved', message: string, subject: string | null = null): Alert => ({
      ...alert(at, message),
      kind: 'alert.retry_rate',
      signal: { state, subject, value: 0.1, threshold: 0.05, since: 500 },
    });
    const all = [rate(1000, 'raised', '10 %'), rate(1100, 'resolved', 'over'), rate(1200, 'raised', '20 %')];
    for (const one of [...all, rate(1300, 'raised', '9 %', 'm#c')]) alerts.raise(one);
    expect(logged.map(({ message }) => message)).toEqual(['10 %', 'over', '20 %', '9 %']);
    const shown = alerts
      .recent()
      .map(({ message, count, firstAt, signal }) => [message, count, firstAt, signal?.state]);
    expect(shown).toEqual([
      ['9 %', 1, 500, 'raised'],
      ['20 %', 2, 500, 'raised'],
    ]);
  });

  it('O-4: memory is bounded; the oldest groups go first', () => {
    const { alerts } = book();
    for (let n = 0; n < 500; n += 1) alerts.raise(alert(n, `message ${n}`));
    const recent = alerts.recent();
    expect(recent).toHaveLength(200);
    expect([recent[0]?.message, recent.at(-1)?.message]).toEqual(['message 499', 'message 300']);
  });
});
