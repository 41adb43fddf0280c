import { describe, expect, it } from 'vitest';
import { plainDraft, sampleAttempt, sampleDraft } from '../../../test/support/sample-draft.ts';
import type { AuditEntry, NewEvent } from '../../core/signals/event.ts';
import type { Alert } from '../../ports/alerts.ts';
import { alertEvents, ToldAlerts } from './alert-events.ts';
import { RequestEvents } from './request-events.ts';

function rig() {
  const events: NewEvent[] = [];
  const audit: AuditEntry[] = [];
  const raised: Alert[] = [];
  const alerts = new ToldAlerts({ raise: (alert) => void raised.push(alert) });
  const written = {
    emit: (event: NewEvent) => events.push(event),
    audit: (entry: AuditEntry) => void audit.push(entry),
  };
  const tell = alertEvents({
    ...written,
    workspaceOf: (key) => (key === 'dev' ? 'acme' : null),
    mask: (text) => text.replace('hush', '***'),
  });
  return { events, audit, raised, alerts, written, tell };
}

const alert = (kind: string, change: Partial<Alert> = {}): Alert => ({
  kind,
  message: 'm',
  requestId: 'req_1',
  at: 1000,
  ...change,
});

describe('alerts as events', () => {
  it.each([
    ['upstream.auth', 'alert.upstream.auth'],
    ['limits.not_stored', 'alert.limits.not_stored'],
    ['alert.p99', 'alert.p99'],
    ['key.banned', 'key.banned'],
    ['key.suspended', 'key.suspended'],
    ['budget.exhausted', 'budget.exhausted'],
    ['job.finished', 'job.finished'],
    ['webhook.disabled', 'webhook.disabled'],
  ])('G-7: %s is the event %s', (kind, type) => {
    const { alerts, tell, events, raised } = rig();
    alerts.tellAlso(tell);
    alerts.raise(alert(kind));
    expect(events.map((event) => event.type)).toEqual([type]);
    expect(raised).toHaveLength(1);
  });

  it('G-7: what was raised before anybody could be told went to the log alone', () => {
    const { alerts, tell, events, raised } = rig();
    alerts.raise(alert('key.banned'));
    alerts.tellAlso(tell);
    expect([events.length, raised.length]).toEqual([0, 1]);
  });

  it('G-7, E-5: carries its message without secrets, what programs need, and when and by which request', () => {
    const { tell, events } = rig();
    tell(alert('upstream.auth', { message: 'refused hush', data: { class: 'auth', credential: 'c' } }));
    expect(events).toEqual([
      {
        type: 'alert.upstream.auth',
        at: 1000,
        workspace: null,
        requestId: 'req_1',
        data: { message: 'refused ***', class: 'auth', credential: 'c' },
      },
    ]);
  });

  it('O-4: a built-in alert carries its figures, and is never held back', () => {
    const { tell, events } = rig();
    const signal = { state: 'raised', subject: null, value: 0.1, threshold: 0.05, since: 900 } as const;
    tell(alert('alert.retry_rate', { signal }));
    tell(alert('alert.retry_rate', { signal: { ...signal, state: 'resolved' } }));
    expect(events.map(({ data }) => data['state'])).toEqual(['raised', 'resolved']);
    expect(events[0]?.data).toMatchObject({ value: 0.1, threshold: 0.05, since: 900 });
  });

  it('G-7: a storm is one event a minute, with its count; what says something else is told', () => {
    const { tell, events } = rig();
    for (let n = 0; n < 50; n += 1) tell(alert('upstream.overloaded', { at: 1000 + n }));
    tell(alert('upstream.overloaded', { message: 'another' }));
    tell(alert('upstream.overloaded', { at: 61_000 }));
    expect(events.map(({ data }) => [data['message'], data['more_like_it']])).toEqual([
      ['m', undefined],
      ['another', undefined],
      ['m', 49],
    ]);
  });

  it('E-4: every finished job is told, whatever its message', () => {
    const { tell, events } = rig();
    for (const job of ['j1', 'j2']) tell(alert('job.finished', { data: { job }, workspace: 'acme' }));
    expect(events.map(({ data, workspace }) => [data['job'], workspace])).toEqual([
      ['j1', 'acme'],
      ['j2', 'acme'],
    ]);
  });

  it('G-8: an event of a key is its workspace’s, and of one that nobody knows the account’s', () => {
    const { tell, events } = rig();
    tell(alert('budget.exhausted', { data: { key: 'dev' } }));
    tell(alert('budget.exhausted', { message: 'n', data: { key: 'gone' } }));
    tell(alert('budget.exhausted', { message: 'o', workspace: 'beta', data: { workspace: 'beta' } }));
    expect(events.map(({ workspace }) => workspace)).toEqual(['acme', null, 'beta']);
  });

  it('G-6, G-7: suspensions and bans are in the audit log', () => {
    const { tell, audit } = rig();
    tell(alert('key.suspended', { data: { key: 'dev', until: 9 } }));
    tell(alert('key.banned', { data: { key: 'dev' } }));
    tell(alert('budget.exhausted', { data: { key: 'dev' } }));
    const common = { at: 1000, actor: 'gateway', object: 'key dev', workspace: 'acme', requestId: 'req_1', ip: null };
    expect(audit).toEqual([
      { ...common, action: 'key.suspend', before: null, after: { message: 'm', key: 'dev', until: 9 } },
      { ...common, action: 'key.ban', before: null, after: { message: 'm', key: 'dev' } },
    ]);
  });

  it('G-7: remembers a bounded number of what it told', () => {
    const { tell, events } = rig();
    for (let n = 0; n <= 1000; n += 1) tell(alert('upstream.auth', { message: `m${n}` }));
    tell(alert('upstream.auth', { message: 'm1000' }));
    tell(alert('upstream.auth', { message: 'm0' }));
    expect(events).toHaveLength(1002);
  });
});

describe('finished requests as events', () => {
  const watcher = (wall: () => number) => {
    const { written, events, audit } = rig();
    return { watch: new RequestEvents({ ...written, clock: { wall }, isByok: () => false }), events, audit };
  };

  it('G-7: a failover is an event and an entry; a plain request is neither', () => {
    const { watch, events, audit } = watcher(() => 5);
    watch.observe(plainDraft(1));
    watch.observe(sampleDraft(2));
    expect(events.map(({ type, requestId }) => [type, requestId])).toEqual([['api:model_failover', 'req_00000002']]);
    expect(audit.map(({ action, requestId }) => [action, requestId])).toEqual([['request.failover', 'req_00000002']]);
  });

  it('G-7: every failover is told, a credential at fault once in five minutes', () => {
    let wall = 0;
    const { watch, events } = watcher(() => wall);
    const refused = (n: number) =>
      sampleDraft(n, { attempts: [sampleAttempt(1, { class: 'auth', credential: 'c1' }), sampleAttempt(2)] });
    for (let n = 1; n <= 3; n += 1) watch.observe(refused(n));
    wall = 300_000;
    watch.observe(refused(4));
    expect(events.filter(({ type }) => type === 'credential.unhealthy').map(({ requestId }) => requestId)).toEqual([
      'req_00000001',
      'req_00000004',
    ]);
    expect(events.filter(({ type }) => type === 'api:model_failover')).toHaveLength(4);
  });
});
