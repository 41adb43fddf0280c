/** Reload and drain of a running gateway. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, type StartOptions, startGateway } from '../../src/assemble.ts';
import { DONE, delta, finish, okBody, role, sseStep } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { chatRequest, type RawAnswer, type RawRequest, sendRaw } from '../faults/raw-client.ts';
import { until } from '../faults/rig.ts';
import { JumpingClock } from '../support/jumping-clock.ts';

const KEY = 'lifecycle-key-0123456789';
/** More than the sockets between gateway and client take by themselves. */
const BIG = 'x'.repeat(12 * 1024 * 1024);
let dataDir: string;
let simulator: Simulator;
let running: RunningGateway | null = null;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-lifecycle-'));
  const slow = sseStep([role(), delta('a'), { wait_ms: 500 }, delta('b'), finish(), DONE]);
  const endless = sseStep([role(), delta('a'), { wait_ms: 60_000 }], { end: 'hang' });
  simulator = await startSimulator({ script: { models: { slow: [slow], endless: [endless], big: [okBody(BIG)] } } });
});

afterEach(async () => {
  await running?.close();
  running = null;
  await simulator.close();
  await rm(dataDir, { recursive: true, force: true });
});

function config(model: string): string {
  return JSON.stringify({
    version: 1,
    server: { max_answer_bytes: '128mb' },
    providers: { up: { type: 'sim', base_url: `${simulator.url}/v1` } },
    models: {
      [model]: { channels: [{ id: 'c', provider: 'up', model }] },
      endless: { channels: [{ id: 'c', provider: 'up' }] },
      'slow-two': { channels: [{ id: 'c', provider: 'up', model: 'slow' }] },
    },
    keys: [{ name: 'k', workspace: 'default', secret: KEY }],
  });
}

async function start(
  text: string,
  more: Partial<StartOptions> = {},
): Promise<{ file: string; gateway: RunningGateway }> {
  const file = join(dataDir, 'understudy.yaml');
  await writeFile(file, text);
  running = await startGateway({ configFile: file, port: 0, dataDir, env: {}, log: 'silent', ...more });
  return { file, gateway: running };
}

function ask(model: string, fields: Record<string, unknown> = {}, more: Partial<RawRequest> = {}): Promise<RawAnswer> {
  return sendRaw({
    ...more,
    url: `${running!.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${KEY}` },
    body: chatRequest(model, fields),
  });
}

describe('reload', () => {
  it('takes a new file for new requests; running ones finish under the old', async () => {
    const { file, gateway } = await start(config('slow'));
    const streaming = ask('slow', { stream: true });
    await until(() => simulator.calls.length === 1, 'the upstream call');
    await writeFile(file, config('fresh'));
    expect(await gateway.reload()).toMatchObject({ ok: true });
    expect((await ask('fresh')).status).toBe(200);
    expect((await ask('slow')).status).toBe(404);
    expect((await streaming).text).toContain('[DONE]');
  });

  it('a bad file never stops a running gateway, and says where it is bad', async () => {
    const { file, gateway } = await start(config('slow'));
    await writeFile(file, 'version: 1\nmodells: {}\n');
    const result = await gateway.reload();
    expect(result).toMatchObject({ ok: false, problems: [{ line: 2, column: 1 }] });
    expect((await ask('slow', { stream: true })).status).toBe(200);
  });

  it('H-1: a corrected secret is used at once, whatever its name was refused for before', async () => {
    const withSecret = (secret: string): string => {
      const whole = JSON.parse(config('m')) as object;
      return JSON.stringify({ ...whole, credentials: { main: { provider: 'up', secret } } });
    };
    await simulator.setScript({ models: { m: [{ status: 401 }, okBody('again')] } });
    const { file, gateway } = await start(withSecret('sk-wrong-secret'));
    expect((await ask('m')).status).toBe(502);
    await gateway.reload();
    expect(errorOf(await ask('m'))['code']).toBe('upstream_credentials_rejected');
    expect(simulator.calls).toHaveLength(1);
    await writeFile(file, withSecret('sk-right-secret'));
    await gateway.reload();
    expect((await ask('m')).status).toBe(200);
    expect(simulator.calls[1]?.headers['authorization']).toBe('Bearer sk-right-secret');
  });

  it('X-5: models that are only named are told at the start, and once they come', async () => {
    const lines: string[] = [];
    const told = () => lines.splice(0).flatMap((line) => /`(\S+)` is not listed under models/.exec(line)?.[1] ?? []);
    const naming = (...auto: string[]) =>
      JSON.stringify({ ...JSON.parse(config('fresh')), workspaces: { default: { auto } } });
    const { file, gateway } = await start(naming('up/one'), {
      log: 'info',
      logTo: { destination: { write: (line) => lines.push(line) } },
    });
    expect(told()).toEqual(['up/one']);
    await writeFile(file, naming('up/one', 'up/two'));
    expect(await gateway.reload()).toMatchObject({ ok: true });
    expect(told()).toEqual(['up/two']);
  });

  it('D-6: what the retry budget has counted survives a reload that leaves its figures alone', async () => {
    const { file, gateway } = await start(config('slow'));
    const before = gateway.gateway.retryBudget;
    await gateway.reload();
    expect(gateway.gateway.retryBudget).toBe(before);
    await writeFile(file, config('slow').replace('{', '{"retry_budget":{"min":3},'));
    expect(await gateway.reload()).toMatchObject({ ok: true });
    expect(gateway.gateway.retryBudget).not.toBe(before);
  });

  it('H-1: health survives a reload', async () => {
    const { gateway } = await start(config('fail-503'));
    for (let i = 0; i < 5; i += 1) await ask('fail-503', { redundancy: { retries: 0 } });
    const open = (): boolean =>
      gateway.gateway.board.circuits(gateway.gateway.clock.now()).some((c) => c.state === 'open');
    expect(open()).toBe(true);
    await gateway.reload();
    expect(open()).toBe(true);
  });
});

describe('drain', () => {
  it('refuses new requests with 503 and Retry-After, lets running ones finish, then closes', async () => {
    const { gateway } = await start(config('slow'));
    const streaming = ask('slow', { stream: true });
    await until(() => simulator.calls.length === 1, 'the upstream call');
    const drained = gateway.drain(10_000);
    const refused = await ask('slow');
    expect([refused.status, errorOf(refused)['code']]).toEqual([503, 'draining']);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.headers['x-should-retry']).toBe('true');
    expect((await sendRaw({ url: `${gateway.url}/readyz` })).status).toBe(503);
    expect((await streaming).text).toContain('[DONE]');
    await drained;
    expect((await ask('slow')).status).toBeNull();
  });

  it('waits for a body that is still arriving', async () => {
    const { gateway } = await start(config('fresh'));
    const client = await openSocket(gateway.url);
    const body = JSON.stringify(chatRequest('fresh'));
    client.write(`${head(body.length)}${body.slice(0, 20)}`);
    await until(() => gateway.gateway.live.size === 1, 'the request');
    const drained = gateway.drain(20_000);
    expect(await Promise.race([drained, later(300)])).toBe('later');
    client.write(body.slice(20));
    expect(await allOf(client)).toMatch(/^HTTP\/1\.1 200 /);
    await drained;
  });

  it('waits until a client that reads slowly has its whole answer', async () => {
    const { gateway } = await start(config('big'));
    const client = await openSocket(gateway.url);
    client.pause();
    const body = JSON.stringify(chatRequest('big'));
    client.write(head(body.length) + body);
    await until(() => gateway.gateway.live.size === 1, 'the request');
    await until(() => simulator.calls[0]?.endedAt !== null && simulator.calls.length === 1, 'the upstream answer');
    const drained = gateway.drain(20_000);
    expect(await Promise.race([drained, later(300)])).toBe('later');
    expect((await allOf(client)).endsWith('}')).toBe(true);
    await drained;
  });

  it("T-4: at its end what still runs gets the interruption's event, and the record says so", async () => {
    const { gateway } = await start(config('slow'));
    const streaming = ask('endless', { stream: true });
    await until(() => simulator.calls.length === 1, 'the upstream call');
    await until(() => gateway.gateway.live.size === 1, 'the stream');
    await gateway.drain(200);
    const answer = await streaming;
    expect(answer.end).toBe('complete');
    expect(answer.text).toContain('"code":"gateway_restarted"');
    expect(answer.text).not.toContain('[DONE]');
    expect(simulator.calls[0]?.closedByPeerAt).not.toBeNull();
  });
});

describe('a drain with a lead', () => {
  const withLead = (lead: string): string => {
    const whole = JSON.parse(config('fresh')) as { server: object };
    return JSON.stringify({ ...whole, server: { ...whole.server, drain_lead: lead } });
  };
  const ready = (): Promise<RawAnswer> => sendRaw({ url: `${running!.url}/readyz`, method: 'GET' });

  it('H-3: /readyz says so at once, and requests are served on connections that close behind them', async () => {
    const clock = new LeadClock();
    const agent = new Agent({ keepAlive: true });
    const { gateway } = await start(withLead('10s'), { clock });
    const before = await ask('fresh', {}, { agent });
    expect([(await ready()).status, before.headers.connection]).toEqual([200, 'keep-alive']);
    const drained = gateway.drain(20_000);
    const told = await ready();
    expect([told.status, JSON.parse(told.text)]).toEqual([503, { status: 'not_ready', reason: 'draining' }]);
    for (const fields of [{}, { stream: true }]) {
      const served = await ask('fresh', fields, { agent });
      expect([served.status, served.end, served.headers.connection]).toEqual([200, 'complete', 'close']);
    }
    clock.over();
    await until(() => gateway.gateway.draining, 'the end of the lead');
    await drained;
    expect((await ask('fresh')).status).toBeNull();
    agent.destroy();
  });

  it('H-3: a request that came in the lead is waited for; one that comes after it is refused', async () => {
    const clock = new LeadClock();
    const { gateway } = await start(withLead('10s'), { clock });
    const drained = gateway.drain(20_000);
    const streaming = ask('slow-two', { stream: true });
    await until(() => simulator.calls.length === 1, 'the upstream call');
    clock.over();
    await until(() => gateway.gateway.draining, 'the end of the lead');
    const refused = await ask('fresh');
    expect([refused.status, errorOf(refused)['code']]).toEqual([503, 'draining']);
    expect((await streaming).text).toContain('[DONE]');
    await drained;
  });

  it('a second word ends the lead', async () => {
    const { gateway } = await start(withLead('1h'));
    void gateway.drain(20_000);
    await gateway.close();
    expect((await ask('fresh')).status).toBeNull();
  });
});

/** The machine's time, but for the lead of ten seconds: that is over when the test says so. */
class LeadClock extends JumpingClock {
  #over: () => void = () => undefined;

  over(): void {
    this.#over();
  }

  override after(ms: number, callback: () => void): () => void {
    if (ms !== 10_000) return super.after(ms, callback);
    this.#over = callback;
    return () => undefined;
  }
}

describe('one data folder', () => {
  it('H-5: a second gateway refuses to start on it, and starts once the first is gone', async () => {
    const { gateway, file } = await start(config('slow'));
    const second = { configFile: file, port: 0, dataDir, env: {}, log: 'silent' as const };
    await expect(startGateway(second)).rejects.toThrow(/another|in use|held/i);
    await gateway.close();
    running = await startGateway(second);
    expect((await ask('slow', { stream: true })).status).toBe(200);
  });
});

function head(length: number): string {
  const fields = ['host: localhost', `authorization: Bearer ${KEY}`, 'content-type: application/json'];
  fields.push(`content-length: ${length}`, 'connection: close');
  return `POST /v1/chat/completions HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`;
}

function openSocket(url: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Everything until the connection is closed. */
function allOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.resume();
  });
}

function later(ms: number): Promise<'later'> {
  return new Promise((resolve) => setTimeout(() => resolve('later'), ms));
}
