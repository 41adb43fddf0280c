import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminRig, startAdminRig, WALL } from '../../../test/support/admin-rig.ts';
import type { ActiveAlert } from '../../core/signals/active-alerts.ts';
import type { AlertGroup } from '../../ports/alerts.ts';

let rig: AdminRig;
beforeEach(async () => {
  rig = await startAdminRig();
});
afterEach(() => rig.close());

const rate: ActiveAlert = {
  name: 'retry_rate',
  subject: null,
  value: 0.0817,
  threshold: 0.05,
  since: WALL - 60_000,
  lastSeen: WALL,
};
const empty: ActiveAlert = {
  name: 'balance_empty',
  subject: 'acme',
  workspace: 'acme',
  value: null,
  threshold: null,
  since: WALL - 5000,
  lastSeen: WALL,
};
const group = (change: Partial<AlertGroup>): AlertGroup => ({
  kind: 'upstream.auth',
  message: 'refused',
  firstAt: WALL - 9000,
  lastAt: WALL - 8000,
  count: 4,
  requestId: 'req_9',
  workspace: null,
  signal: null,
  ...change,
});
const signalled = (kind: string, state: 'raised' | 'resolved'): AlertGroup =>
  group({
    kind,
    requestId: null,
    message: `${kind} ${state}`,
    signal: { state, subject: null, value: 1, threshold: 2, since: WALL - 9000 },
  });

async function list(query = '', token?: string): Promise<Record<string, unknown>[]> {
  const answer = await rig.call('GET', `/admin/v1/alerts${query}`, token === undefined ? {} : { token });
  expect(answer.status).toBe(200);
  return answer.body['data'] as Record<string, unknown>[];
}

describe('O-4: GET /admin/v1/alerts', () => {
  it('shows what is on first, then what was told, the latest first', async () => {
    rig.alerts.on = [rate, empty];
    rig.alerts.told = [group({}), group({ message: 'another', lastAt: WALL - 1000 })];
    const rows = await list();
    expect(rows.map(({ kind, state, message }) => [kind, state, message])).toEqual([
      ['alert.balance_empty', 'active', 'the prepaid balance of workspace acme is used up'],
      ['alert.retry_rate', 'active', expect.stringContaining('8.17 %')],
      ['upstream.auth', 'told', 'another'],
      ['upstream.auth', 'told', 'refused'],
    ]);
    expect(rows[1]).toMatchObject({
      subject: null,
      value: 0.0817,
      threshold: 0.05,
      first_at: new Date(WALL - 60_000).toISOString(),
      last_at: new Date(WALL).toISOString(),
    });
    expect(rows[3]).toMatchObject({ count: 4, request_id: 'req_9' });
  });

  it('a built-in alert stands there once: as active while it is on, as over later, whoever told of it', async () => {
    rig.alerts.on = [rate];
    rig.alerts.told = [signalled('alert.retry_rate', 'raised'), signalled('alert.p99', 'raised')];
    expect((await list()).map(({ kind, state }) => [kind, state])).toEqual([
      ['alert.retry_rate', 'active'],
      ['alert.p99', 'over'],
    ]);
    rig.alerts.on = [];
    rig.alerts.told = [signalled('alert.retry_rate', 'resolved')];
    expect((await list('?state=active')).length).toBe(0);
    expect((await list('?state=over')).map(({ kind }) => kind)).toEqual(['alert.retry_rate']);
  });

  it('comes in pages that skip and repeat nothing', async () => {
    rig.alerts.on = [rate, empty];
    rig.alerts.told = ['a', 'b', 'c'].map((message) => group({ message }));
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const { body } = await rig.call('GET', `/admin/v1/alerts?limit=2${cursor}`);
      seen.push(...(body['data'] as { message: unknown }[]).map(({ message }) => message));
      cursor = body['next_cursor'] === null ? '' : `&cursor=${body['next_cursor']}`;
    } while (cursor !== '');
    expect(seen.slice(2)).toEqual(['a', 'b', 'c']);
    expect(seen).toHaveLength(5);
  });

  it('G-8: a workspace admin sees what is its workspace’s, nothing of the account’s', async () => {
    await rig.close();
    rig = await startAdminRig(
      `workspaces: { acme: {}, beta: {} }\nmembers: { ann: { role: workspace_admin, workspace: acme, token: token-lead-0123456789 } }\n`,
    );
    rig.alerts.on = [rate, empty, { ...empty, subject: 'beta', workspace: 'beta' }];
    rig.alerts.told = [group({}), group({ message: 'its own', workspace: 'acme' })];
    const rows = await list('', 'token-lead-0123456789');
    expect(rows.map(({ kind, subject, message }) => [kind, subject, message])).toEqual([
      ['alert.balance_empty', 'acme', expect.any(String)],
      ['upstream.auth', null, 'its own'],
    ]);
  });

  it('G-8: needs a token, refuses other filters', async () => {
    expect((await rig.call('GET', '/admin/v1/alerts', { token: null })).status).toBe(401);
    expect((await rig.call('GET', '/admin/v1/alerts?state=loud')).status).toBe(400);
  });
});
