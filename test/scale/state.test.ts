/** What one replica has noted a moment ago is used at another (P-8, O-5, G-4, G-6). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../../src/assemble.ts';
import { ADMIN, admin, CLIENT, call, eventually, Replicas } from '../support/replicas/in-process.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';

const PREPAID = 'scale-prepaid-key-0123456789';
const ASK = { model: 'm', messages: [{ role: 'user', content: 'hi' }], max_tokens: 100 };
const ANSWER = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 100, total_tokens: 101 },
};

describe.runIf(hasPostgres())('what one replica has noted a moment ago', () => {
  let replicas: Replicas;
  let upstream: Server;
  let one: RunningGateway;
  let two: RunningGateway;
  let responses = 0;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      request.resume();
      request.on('end', () => {
        response.setHeader('content-type', 'application/json');
        if (!request.url?.endsWith('/responses')) return response.end(JSON.stringify(ANSWER));
        responses += 1;
        const content = [{ type: 'output_text', text: 'hi', annotations: [] }];
        const output = [{ id: `msg_${responses}`, type: 'message', role: 'assistant', status: 'completed', content }];
        const answer = {
          id: `resp_${responses}`,
          object: 'response',
          status: 'completed',
          model: 'u',
          output,
          store: true,
        };
        return response.end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const base_url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
    replicas = await Replicas.open(2, (store) => ({
      store,
      admin: { token: ADMIN },
      providers: { up: { type: 'openai', base_url } },
      credentials: { c: { provider: 'up', secret: 'upstream-secret-0123456789' } },
      // A whole dollar for an answer of 100 tokens.
      models: { m: { channels: [{ provider: 'up', model: 'u' }], price: { input: 0, output: 10_000 } } },
      workspaces: { default: {}, paid: { balance_usd: 2 } },
      keys: [
        { name: 'own', secret: CLIENT },
        { name: 'prepaid', workspace: 'paid', secret: PREPAID },
      ],
    }));
    [one, two] = replicas.all as [RunningGateway, RunningGateway];
  });
  afterAll(async () => {
    await replicas.close();
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
  });

  const ask = (gateway: RunningGateway, key: string) => call(gateway, '/v1/chat/completions', { body: ASK, key });

  it('P-8: an answer’s id leads to its account at the other at once, turn after turn', async () => {
    let previous: string | null = null;
    for (let turn = 0; turn < 12; turn += 1) {
      const named = previous === null ? {} : { previous_response_id: previous };
      const at = turn % 2 === 0 ? one : two;
      const answer = await call(at, '/v1/responses', { body: { model: 'm', input: 'hi', ...named } });
      expect([turn, answer.status, answer.body['error'] ?? null]).toEqual([turn, 200, null]);
      previous = String(answer.body['id']);
    }
    const unknown = { model: 'm', input: 'hi', previous_response_id: 'resp_nobody' };
    const refused = await call(two, '/v1/responses', { body: unknown });
    expect([refused.status, refused.body['error']]).toMatchObject([400, { code: 'unsupported_state' }]);
  });

  it('O-5: a request is found in the log through the other at once', async () => {
    for (let n = 0; n < 6; n += 1) {
      const answer = await ask(one, CLIENT);
      const id = String(answer.headers['x-request-id']);
      const shown = await call(two, `/v1/requests/${id}`);
      expect([shown.status, shown.body['id']]).toEqual([200, id]);
    }
    expect((await admin(two, 'GET', '/requests/req_nobody')).status).toBe(404);
  });

  it('G-4: what the file grants is granted once, and an empty balance is empty at all', async () => {
    expect((await admin(one, 'GET', '/workspaces/paid/balance')).body).toMatchObject({ balance_usd: 2 });
    expect((await ask(one, PREPAID)).status).toBe(200);
    expect((await ask(two, PREPAID)).status).toBe(200);
    // Of the charges the ledger hears a moment later; who asks it is told of it at the latest then.
    await eventually('spent', async () => (await ask(two, PREPAID)).status === 402);
    expect((await ask(one, PREPAID)).status).toBe(402);
    expect((await admin(one, 'POST', '/workspaces/paid/balance', { body: { topup_usd: 1.5 } })).status).toBeLessThan(
      300,
    );
    expect((await ask(two, PREPAID)).status).toBe(200);
    await replicas.add();
    const granted = await replicas.schema.query(`SELECT count(*)::int FROM ledger_entries WHERE kind = 'grant'`);
    expect(granted).toEqual([[1]]);
  });

  it('G-4: ten at once over both do not spend more than there is, but for the last', async () => {
    await admin(one, 'POST', '/workspaces/paid/balance', { body: { topup_usd: 10 } });
    // What the ledger has: what is shown may be five seconds old.
    const { query } = replicas.schema;
    await eventually('settled', async () => (await query('SELECT 1 FROM reservations')).length === 0);
    const before = Number((await query('SELECT balance / 1e9 FROM accounts'))[0]![0]);
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(n % 2 === 0 ? one : two, PREPAID)));
    const served = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(30 - served);
    expect(served).toBe(Math.ceil(before));
    await eventually('shown alike', async () => new Set(await balances()).size === 1);
  });

  const balances = (): Promise<number[]> =>
    Promise.all(
      [one, two].map(async (at) => Number((await admin(at, 'GET', '/workspaces/paid/balance')).body['balance_usd'])),
    );

  it('G-6: who is banned at one is banned at the other, and free once the other lifts it', async () => {
    const { gateway } = one;
    const since = gateway.clock.wall();
    gateway.keyBreaker.restore([{ key: 'own', since }]);
    gateway.bans.ban('own', since);
    await eventually('banned', async () => (await ask(two, CLIENT)).status === 403);
    expect((await admin(two, 'POST', '/keys/own/lift')).status).toBeLessThan(300);
    expect((await ask(two, CLIENT)).status).toBe(200);
    await eventually('free', async () => (await ask(one, CLIENT)).status === 200);
    expect(await replicas.schema.query(`SELECT name FROM objects WHERE kind = 'ban'`)).toEqual([]);
  });
});
