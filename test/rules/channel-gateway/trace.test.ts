/** The page, last part: how a fallback is found afterwards, by whom, and why another model answered. */
import { describe, expect, it } from 'vitest';
import { TestShell } from '../../cli/test-shell.ts';
import { sendRaw } from '../../faults/raw-client.ts';
import { ADMIN_TOKEN, jsonOf } from '../rules-rig.ts';
import { ALL, DOWN, FINE, LIMITED, type Page, servedBy, WHOLE_ORDER, withPage } from './page.ts';

const LEAD = 'lead-token-0123456789';
const MEMBER = 'member-token-0123456789';
const OTHER_LEAD = 'other-lead-token-0123456789';
const STAGES = ['receive', 'plan', 'admit', 'upstream', 'deliver'];

const see = (page: Page, token: string, path: string, method = 'GET', body?: object) =>
  sendRaw({
    url: page.url + path,
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body }),
  });

describe('whether there was a fallback', () => {
  const world = { models: { m: { a: [LIMITED, DOWN, FINE], b: [FINE] } }, last: [FINE] };

  it('O-1: every call made, with its status, how long it took and why the next was tried', async () => {
    await withPage(world, async (page) => {
      const { attempts } = await page.record(await page.ask('m', { redundancy: ALL }));
      expect(attempts.map((one) => [one.no, one.credential, one.status, one.class, one.decision])).toEqual([
        [1, 'm-a-own1', 429, 'rate_limit', 'next_credential'],
        [2, 'm-a-own2', 503, 'overloaded', 'next_channel'],
        [3, 'm-b-own1', 200, null, 'serve'],
      ]);
      for (const { latency_ms, reason } of attempts) {
        expect(latency_ms).toBeGreaterThan(0);
        expect(reason).toMatch(/\w/);
      }
    });
  });

  it('O-1: five stages; the fourth says how many calls it took', async () => {
    await withPage(world, async (page) => {
      const { stages } = await page.record(await page.ask('m'));
      expect(stages.map(({ name }) => name)).toEqual(STAGES);
      expect(stages.map(({ attempts }) => attempts)).toEqual([undefined, undefined, undefined, 3, undefined]);
    });
  });

  it('P-7: the candidates are a ranked list, and no proof that anybody was called', async () => {
    await withPage(world, async (page) => {
      const { candidates } = await page.record(await page.ask('m', { redundancy: ALL }));
      const names = [...WHOLE_ORDER, 'last'].map((name) => name.replace('/', '-'));
      expect(candidates.map(({ rank, credential }) => [rank, credential])).toEqual(
        names.map((name, i) => [i + 1, name]),
      );
      expect(candidates.filter(({ tried }) => tried).map(({ credential }) => credential)).toEqual([
        'm-a-own1',
        'm-a-own2',
        'm-b-own1',
      ]);
    });
  });

  it('O-5: `understudy explain` shows the same trace', async () => {
    await withPage(world, async (page) => {
      const answer = await page.ask('m');
      const { id } = await page.record(answer);
      const shell = new TestShell();
      shell.env = { UNDERSTUDY_URL: page.url, UNDERSTUDY_ADMIN_TOKEN: ADMIN_TOKEN };
      expect(await shell.run('explain', id)).toBe(0);
      expect(shell.out).toMatch(/④ upstream [^·]+ · 3 attempts/);
      expect(shell.out).toContain('ranked, not necessarily called');
      expect(shell.out).toContain('m via a0 (m-a-platform)  left out: channel_fault');
      expect(shell.out).toMatch(/2\. m via a0 \(m-a-own2\) {2}failed 503 overloaded.*→ next_channel/s);
    });
  });

  it('O-5: such requests can be listed; a request of one call is not among them', async () => {
    await withPage(
      { models: { m: { a: [DOWN], b: [DOWN] }, n: { a: [FINE], b: [FINE] } }, last: [FINE] },
      async (page) => {
        await page.record(await page.ask('n'));
        const moved = await page.record(await page.ask('m'));
        const { data } = (await page.admin('/v1/requests?failover=true')) as { data: { id: string }[] };
        expect(data.map(({ id }) => id)).toEqual([moved.id]);
      },
    );
  });
});

describe('who may see it', () => {
  it('G-8, R-1: account and workspace admins; a member hands on the request id, which every answer carries', async () => {
    const members = {
      lead: { role: 'workspace_admin', workspace: 'main', token: LEAD },
      member: { role: 'member', workspace: 'main', token: MEMBER },
      stranger: { role: 'workspace_admin', workspace: 'elsewhere', token: OTHER_LEAD },
    };
    const world = { models: { m: { a: [LIMITED], b: [FINE] } } };
    const over = { members, workspaces: { main: {}, elsewhere: {} } };
    await withPage({ ...world, over }, async (page) => {
      const answer = await page.ask('m', { redundancy: ALL });
      const { id } = await page.record(answer);
      expect(answer.headers['x-request-id']).toBe(id);
      const path = `/admin/v1/requests/${id}`;
      for (const token of [ADMIN_TOKEN, LEAD]) {
        const shown = jsonOf(await see(page, token, path));
        expect(Object.keys(shown)).toEqual(expect.arrayContaining(['attempts', 'candidates', 'stages']));
      }
      expect((await see(page, MEMBER, path)).status).toBe(403);
      expect((await see(page, OTHER_LEAD, path)).status).toBe(404);
      const own = jsonOf(await see(page, MEMBER, `/v1/requests/${id}`));
      expect(own).toMatchObject({ id, status: 200 });
      for (const hidden of ['attempts', 'candidates', 'stages']) expect(own).not.toHaveProperty(hidden);
    });
  });
});

describe('why another model answered', () => {
  it('C-7, O-1: the asked one failed, or is not enabled here; the log names both', async () => {
    const models = { m: { a: [DOWN], b: [DOWN] }, off: { a: [FINE], b: [FINE] } };
    const workspace = { enabled_models: ['m', 'last'] };
    await withPage({ models, last: [FINE], workspace }, async (page) => {
      for (const model of ['m', 'off']) {
        const answer = await page.ask(model);
        expect([answer.status, servedBy(answer), jsonOf(answer)['model']]).toEqual([200, 'last', 'last']);
        expect(answer.headers['x-understudy-degraded']).toBe('true');
        const expected = { requested_model: model, served_model: 'last', degraded: true, degraded_reasons: ['model'] };
        const record = await page.record(answer);
        expect(record).toMatchObject(expected);
        expect(await page.admin(`/v1/requests/${record.id}`)).toMatchObject(expected);
      }
      expect(page.tried()).toEqual(['m/a-own1', 'm/b-own1', 'last', 'last']);
    });
  });

  it('C-7, G-8: an account admin clears the default model, and it never answers again', async () => {
    await withPage({ models: { m: { a: [DOWN], b: [DOWN] } }, last: [FINE] }, async (page) => {
      const change = (token: string, method: string, path: string, body: object) =>
        see(page, token, `/admin/v1${path}`, method, body);
      const make = async (path: string, body: object) => jsonOf(await change(ADMIN_TOKEN, 'POST', path, body));
      await make('/workspaces', { name: 'kept', default_model: 'last' });
      const { secret } = await make('/keys', { name: 'kept', workspace: 'kept' });
      const { token } = await make('/members', { name: 'lead', workspace: 'kept', role: 'workspace_admin' });
      const ask = () => page.ask('m', {}, { key: String(secret) });
      expect(servedBy(await ask())).toBe('last');
      const clear = (by: string) => change(by, 'PATCH', '/workspaces/kept', { default_model: null });
      expect((await clear(String(token))).status, 'a workspace’s own admin may not').toBe(403);
      expect(servedBy(await ask())).toBe('last');
      expect((await clear(ADMIN_TOKEN)).status).toBe(200);
      expect((await ask()).status).toBe(503);
    });
  });
});
