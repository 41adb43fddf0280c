/** What is under way, seen while it happens. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Simulator, type Step, startSimulator } from '../../sim/index.ts';
import type { RunningRequest } from '../../src/runtime/running-requests.ts';
import { DONE, delta, errorStep, finish, role, sseStep } from '../faults/answers.ts';
import { startTestGateway, type TestGateway, waitFor } from '../faults/gateway.ts';
import { ADMIN_TOKEN, CLIENT_KEY, configText, secretOf } from '../faults/gateway-config.ts';
import { chatRequest, type RawAnswer, sendRaw } from '../faults/raw-client.ts';

const DOWN = errorStep(503, { message: 'overloaded' });
/** Says one word and goes on when nobody waits any more. */
const ENDLESS: Step = sseStep([role(), delta('hello'), { wait_ms: 60_000 }, delta('late'), finish(), DONE]);
const SILENT: Step = { ...ENDLESS, delay_ms: 60_000 };

let upstreams: Simulator[] = [];
let gateway: TestGateway | null = null;
let leave: (() => void)[] = [];

function goAway(): void {
  for (const go of leave) go();
  leave = [];
}

afterEach(async () => {
  goAway();
  await gateway?.close();
  gateway = null;
  await Promise.all(upstreams.map((one) => one.close()));
  upstreams = [];
});

/** The route `m` with its upstreams in this order. */
async function start(scripts: Readonly<Record<string, Step | readonly Step[]>>): Promise<TestGateway> {
  const baseUrls: Record<string, string> = {};
  const up: Record<string, Step[]> = {};
  for (const [name, steps] of Object.entries(scripts)) {
    up[name] = [steps].flat();
    const one = await startSimulator({ name, script: { models: { m: up[name] } } });
    upstreams.push(one);
    baseUrls[name] = one.url;
  }
  gateway = await startTestGateway(configText({ m: { up } }, baseUrls, {}));
  return gateway;
}

/** A streaming request, until this test leaves it. */
function ask(
  headers: Readonly<Record<string, string>> = {},
  fields: Readonly<Record<string, unknown>> = {},
): Promise<RawAnswer> {
  return sendRaw({
    url: `${gateway!.url}/v1/chat/completions`,
    body: chatRequest('m', { stream: true, ...fields }),
    headers: { authorization: `Bearer ${CLIENT_KEY}`, ...headers },
    leaveOn: new Promise<void>((resolve) => leave.push(resolve)),
  });
}

async function admin(path: string, token = ADMIN_TOKEN, body?: object): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${gateway!.url}/admin/v1/${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  return { status: answer.status, body: await answer.json() };
}

interface Listed {
  readonly data: readonly RunningRequest[];
  readonly total: number;
}

async function listed(token?: string): Promise<Listed> {
  const { status, body } = await admin('requests/running', token);
  expect(status).toBe(200);
  return body as Listed;
}

/** The list once it holds what is waited for. */
function seen(is: (list: Listed) => boolean, what: string): Promise<Listed> {
  return waitFor(async () => {
    const list = await listed();
    return is(list) ? list : null;
  }, what);
}

describe('O-5: requests under way', () => {
  it('are shown with their attempts as they grow, and as finished once they are over', async () => {
    await start({ A: DOWN, B: SILENT });
    const sent = ask({ 'x-request-id': 'mine-1' });
    const { data, total } = await seen((list) => list.data[0]?.attempts.length === 2, 'a second attempt');
    expect(total).toBe(1);
    const [running] = data;
    expect(running).toMatchObject({
      client_request_id: 'mine-1',
      state: 'running',
      workspace: 'main',
      key: 'test',
      endpoint: 'chat',
      stream: true,
      requested_model: expect.stringContaining('m'),
      policy: 'standard',
      job: null,
      attempts: [
        { no: 1, state: 'failed', class: 'overloaded', status: 503, decision: 'next_channel', hedge: false },
        { no: 2, state: 'waiting', class: null, status: null, decision: null, reason: null, ttft_ms: null },
      ],
    });
    expect(running?.attempts[0]?.reason).toContain('next channel');
    expect(running?.attempts[0]?.provider_message).toBe('overloaded');
    expect(running?.chain).toHaveLength(1);
    const id = running!.id;
    expect(await admin(`requests/running/${id}`)).toMatchObject({ status: 200, body: { id, state: 'running' } });
    expect(await admin('requests/running/mine-1')).toMatchObject({ status: 200, body: { id } });

    goAway();
    await sent;
    const over = await waitFor(async () => {
      const answer = await admin(`requests/running/${id}`);
      expect(answer.status).toBe(200);
      return (answer.body as RunningRequest).state === 'finished' ? answer.body : null;
    }, 'its end');
    expect(over).toMatchObject({
      id,
      client_request_id: 'mine-1',
      workspace: 'main',
      attempts: [
        { no: 1, state: 'failed', decision: 'next_channel' },
        { no: 2, state: 'cancelled', decision: 'stop' },
      ],
    });
    expect(await listed()).toEqual({ data: [], total: 0 });
  });

  it('show a stream that flows, and no secret, whoever it is', async () => {
    await start({ A: ENDLESS });
    void ask();
    const { data } = await seen((list) => list.data[0]?.state === 'answering', 'an open stream');
    expect(data[0]?.attempts).toMatchObject([{ no: 1, state: 'streaming', status: 200, class: null }]);
    expect(data[0]?.attempts[0]?.ttft_ms).toBeGreaterThan(0);
    const text = JSON.stringify(data);
    expect(text).not.toContain(CLIENT_KEY);
    expect(text).not.toContain(secretOf('m', 'A'));
  });

  it('I-6: who joined another request’s run is shown as that', async () => {
    await start({ A: SILENT });
    void ask({ 'idempotency-key': 'once' });
    await seen(({ data }) => data[0]?.attempts.length === 1, 'the owner');
    void ask({ 'idempotency-key': 'once' });
    const { data } = await seen(({ data: [first] }) => first?.state === 'joined', 'the joiner');
    expect(data.map(({ state, attempts }) => [state, attempts.length])).toEqual([
      ['joined', 0],
      ['running', 1],
    ]);
  });

  it('D-9: a pause before the target is asked again is shown, and what was decided', async () => {
    await start({ A: errorStep(429, { message: 'slow down' }, { 'retry-after': '60' }) });
    void ask({}, { redundancy: { retries: 1, max_wait_ms: 60_000 } });
    const { data } = await seen((list) => list.data[0]?.state === 'waiting', 'the pause');
    expect(data[0]?.attempts).toMatchObject([{ no: 1, state: 'failed', class: 'rate_limit', decision: 'retry' }]);
    expect(data[0]?.attempts[0]?.reason).toContain('60 s');
  });

  it('E-4: the try of a queued request is shown with its job', async () => {
    await start({ A: [DOWN, SILENT] });
    const answer = await ask({}, { stream: false, redundancy: { on_exhausted: ['queue'] } });
    expect(answer.status).toBe(202);
    const { data } = await seen((list) => list.data[0]?.attempts.length === 1, 'a try');
    expect(data[0]).toMatchObject({ state: 'running', workspace: 'main', key: 'test', job: { try: 1 } });
    expect(JSON.parse(answer.text)).toMatchObject({ id: data[0]?.job?.id });
  });

  it('O-2: the newest 200 are shown, and how many there are', async () => {
    await start({ A: SILENT });
    for (let n = 1; n <= 203; n += 1) void ask({ 'x-request-id': `n-${n}` });
    const { data, total } = await seen((list) => list.total === 203, 'all of them');
    expect([data.length, total]).toEqual([200, 203]);
    const times = data.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('G-8: an admin of another workspace sees none of it, a member nothing', async () => {
    await start({ A: SILENT });
    await admin('workspaces', ADMIN_TOKEN, { name: 'other' });
    const tokens: Record<string, string> = {};
    for (const [name, role, workspace] of [
      ['theirs', 'workspace_admin', 'other'],
      ['ours', 'workspace_admin', 'main'],
      ['member', 'member', 'main'],
    ] as const) {
      const made = await admin('members', ADMIN_TOKEN, { name, role, workspace });
      tokens[name] = (made.body as { token: string }).token;
    }
    void ask();
    const { data } = await seen((list) => list.total === 1, 'the request');
    const { id } = data[0]!;
    expect(await listed(tokens['theirs'])).toEqual({ data: [], total: 0 });
    expect((await listed(tokens['ours'])).data.map((one) => one.id)).toEqual([id]);
    expect((await admin(`requests/running/${id}`, tokens['theirs'])).status).toBe(404);
    expect((await admin(`requests/running/${id}`, tokens['ours'])).status).toBe(200);
    for (const path of ['requests/running', `requests/running/${id}`]) {
      expect((await admin(path, tokens['member'])).status).toBe(403);
    }
    goAway();
    await gateway!.record(id);
    expect((await admin(`requests/running/${id}`, tokens['theirs'])).status).toBe(404);
    expect(await admin(`requests/running/${id}`, tokens['ours'])).toMatchObject({ body: { state: 'finished' } });
    expect((await admin('requests/running/req_nobody')).status).toBe(404);
  });
});
