import { describe, expect, it } from 'vitest';
import { plainDraft, sampleAt, sampleAttempt, sampleDraft } from '../../../test/support/sample-draft.ts';
import { concerns } from './event.ts';
import { eventsOf } from './events-of.ts';

const AT = sampleAt(9);
const nobodys = () => false;

describe('events of a finished request', () => {
  it('G-7: one event and one audit entry when it moved to another model', () => {
    const { events, audit } = eventsOf(sampleDraft(1), AT, nobodys);
    expect(events.map(({ type, workspace, requestId, at }) => ({ type, workspace, requestId, at }))).toEqual([
      { type: 'api:model_failover', workspace: 'acme', requestId: 'req_00000001', at: AT },
    ]);
    expect(events[0]?.data).toMatchObject({
      key: 'dev',
      requested_model: 'openai/gpt-5-nano',
      served_model: 'anthropic/claude-sonnet',
      attempts: [
        { no: 1, model: 'openai/gpt-5-nano', class: 'rate_limit', decision: 'next_model' },
        { no: 2, model: 'anthropic/claude-sonnet', class: null, result: 'served' },
      ],
    });
    expect(audit).toEqual([
      {
        at: AT,
        actor: 'key dev',
        action: 'request.failover',
        object: 'request req_00000001',
        workspace: 'acme',
        requestId: 'req_00000001',
        before: { model: 'openai/gpt-5-nano' },
        after: {
          model: 'anthropic/claude-sonnet',
          models: ['openai/gpt-5-nano', 'anthropic/claude-sonnet'],
          outcome: 'success',
        },
        ip: null,
      },
    ]);
  });

  it('G-7: one, however many models were tried, and also when none of them served', () => {
    const failed = sampleAttempt(2, { model: 'a/b', result: 'failed', class: 'overloaded' });
    const draft = sampleDraft(1, { served_model: null, attempts: [sampleAttempt(1), failed, sampleAttempt(3)] });
    const { events, audit } = eventsOf(draft, AT, nobodys);
    expect(events.filter(({ type }) => type === 'api:model_failover')).toHaveLength(1);
    expect(audit).toHaveLength(1);
    expect(audit[0]?.after).toMatchObject({ model: null });
  });

  it('G-7: none for repeats and other channels of one model, nor without any attempt', () => {
    const again = sampleAttempt(2, { model: 'openai/gpt-5-nano', channel: 'eu' });
    expect(eventsOf(sampleDraft(1, { attempts: [sampleAttempt(1), again] }), AT, nobodys)).toEqual({
      events: [],
      audit: [],
    });
    expect(eventsOf(plainDraft(1), AT, nobodys).events).toEqual([]);
    expect(eventsOf(plainDraft(1, { attempts: [] }), AT, nobodys).events).toEqual([]);
  });

  it('G-7, H-1: a refused credential is told once per request and class', () => {
    const refused = { class: 'auth', status: 401, credential: 'c1', model: 'm/1' } as const;
    const attempts = [sampleAttempt(1, refused), sampleAttempt(2, { ...refused, result: 'failed' })];
    const { events, audit } = eventsOf(sampleDraft(1, { attempts }), AT, nobodys);
    expect(events.map(({ type, data }) => [type, data['credential'], data['class']])).toEqual([
      ['credential.unhealthy', 'c1', 'auth'],
    ]);
    expect(audit).toEqual([]);
  });

  it('G-8: a platform credential is the account’s affair, an own one its workspace’s', () => {
    const draft = plainDraft(1, { attempts: [sampleAttempt(1, { class: 'quota_exhausted' })] });
    expect(eventsOf(draft, AT, nobodys).events[0]?.workspace).toBeNull();
    expect(eventsOf(draft, AT, (name) => name === 'acme-openai').events[0]?.workspace).toBe('acme');
  });

  it('X-4: a rehearsed failure says nothing of a credential', () => {
    const draft = plainDraft(1, { attempts: [sampleAttempt(1, { class: 'auth', rehearsed: true })] });
    expect(eventsOf(draft, AT, nobodys).events).toEqual([]);
  });
});

describe('who is told', () => {
  const all = () => true;
  it.each([
    [null, 'acme', true],
    [null, null, true],
    ['acme', 'acme', true],
    ['acme', 'beta', false],
    ['acme', null, false],
  ])('G-8: a hook of %s and an event of %s: %s', (hook, event, told) => {
    expect(concerns({ workspace: hook, wants: all }, { type: 'x', workspace: event })).toBe(told);
  });

  it('G-7: only of what it asked for', () => {
    const hook = { workspace: null, wants: (type: string) => type === 'a' };
    expect(concerns(hook, { type: 'a', workspace: null })).toBe(true);
    expect(concerns(hook, { type: 'b', workspace: null })).toBe(false);
  });
});
