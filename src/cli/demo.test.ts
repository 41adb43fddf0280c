import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { systemError, TestShell } from '../../test/cli/test-shell.ts';
import { startGateway } from '../assemble.ts';
import { FIRST_RUN_FILE } from '../config/first-run.ts';
import { loadConfig } from '../config/load.ts';
import { answerText } from './demo.ts';

const CHUNK = 'data: {"choices":[{"delta":{"content":"Yes."}}]}\n\n';
const WHOLE = '{"choices":[{"message":{"content":"Yes."}}]}';

/** A gateway's outside: answers chat requests, and shows their traces a little later. */
class FakeGateway {
  readonly server: Server;
  servedModel = 'sim/ok';
  status = 200;
  stream = `${CHUNK}data: [DONE]\n\n`;
  readonly bodies: { models: string[]; stream: boolean }[] = [];
  readonly keys: (string | undefined)[] = [];
  #asked = 0;

  constructor() {
    this.server = createServer((request, response) => void this.#answer(request, response));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.keys.push(request.headers.authorization);
    if (request.url?.startsWith('/admin/')) {
      this.#asked += 1;
      const found = this.#asked % 2 === 0;
      response.writeHead(found ? 200 : 404).end(found ? JSON.stringify(this.#record()) : '{}');
      return;
    }
    let text = '';
    for await (const part of request) text += String(part);
    const body = JSON.parse(text) as { models: string[]; stream: boolean };
    this.bodies.push(body);
    response.writeHead(this.status, { 'x-request-id': 'req_demo' }).end(body.stream ? this.stream : WHOLE);
  }

  #record(): object {
    const attempt = {
      latency_ms: 1,
      ttft_ms: null,
      class: null,
      provider_code: null,
      provider_message: null,
      retry_after_ms: null,
      maybe_executed: false,
      suspicious: false,
      changes: [],
      credential: null,
      channel: 'sim',
    };
    return {
      id: 'req_demo',
      at: 't',
      endpoint: 'chat',
      stream: false,
      workspace: 'default',
      key: 'demo',
      policy: 'standard',
      status: 200,
      ending: 'served',
      error_code: null,
      requested_model: 'sim/fail-503',
      served_model: this.servedModel,
      chain: ['sim/fail-503', 'sim/ok'],
      degraded: true,
      degraded_reasons: ['model'],
      client_request_id: null,
      client_retry: { count: 0, how: null, upstream_calls: 2 },
      upstream_calls: 2,
      latency_ms: 5,
      usage: null,
      stages: [],
      candidates: [],
      attempts: [
        {
          ...attempt,
          no: 1,
          model: 'sim/fail-503',
          status: 503,
          result: 'failed',
          class: 'overloaded',
          decision: 'next_model',
          reason: 'overloaded; next model',
        },
        {
          ...attempt,
          no: 2,
          model: 'sim/ok',
          status: 200,
          result: 'served',
          decision: 'serve',
          reason: 'content arrived',
        },
      ],
    };
  }
}

let fake: FakeGateway;
let shell: TestShell;
let closed: number;
beforeEach(async () => {
  fake = new FakeGateway();
  closed = 0;
  await new Promise<void>((resolve) => void fake.server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(fake.server.address() as AddressInfo).port}`;
  shell = new TestShell();
  shell.gateway = () =>
    Promise.resolve({
      url,
      host: '127.0.0.1',
      origin: () => ({ kind: 'text', name: '(configuration)', appliedAt: null }),
      generated: () => ({ clientKey: false, adminToken: false }),
      firstRun: null,
      reload: () => Promise.reject(new Error('not asked for')),
      drain: () => Promise.resolve(),
      close: () => {
        closed += 1;
        return Promise.resolve();
      },
    });
});
afterEach(() => new Promise((resolve) => void fake.server.close(resolve)));

describe('demo', () => {
  it('X-1: --once shows a request and a stream surviving an outage, attempt by attempt, and exits 0', async () => {
    expect(await shell.run('demo', '--once')).toBe(0);
    expect(fake.bodies.map((body) => [body.models, body.stream])).toEqual([
      [['sim/fail-503', 'sim/ok'], false],
      [['sim/fail-503', 'sim/ok'], true],
    ]);
    expect(shell.out.match(/1\. sim\/fail-503 via sim {2}failed 503 overloaded/g)).toHaveLength(2);
    expect(shell.out.match(/2\. sim\/ok via sim {2}served 200/g)).toHaveLength(2);
    expect(shell.out).toContain('The client got: "Yes."');
    expect(shell.out).not.toContain('curl');
    expect(closed).toBe(1);
  });

  it('X-1: starts with a good configuration of its own, and leaves no folder behind', async () => {
    await shell.run('demo', '--once');
    const { configText, dataDir, port, host } = shell.started[0]!;
    expect([host, port]).toEqual(['127.0.0.1', 0]);
    expect(loadConfig({ text: configText!, file: 'demo', env: {} })).toMatchObject({ ok: true });
    const { keys, admin } = parse(configText!) as { keys: { secret: string }[]; admin: { token: string } };
    expect(fake.keys[0]).toBe(`Bearer ${keys[0]!.secret}`);
    expect(fake.keys[1]).toBe(`Bearer ${admin.token}`);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('X-1: without --once it stays, with the console, address, key and a curl line to copy, until Ctrl-C', async () => {
    const ended = shell.run('demo');
    await shell.signal('SIGINT');
    expect(await ended).toBe(0);
    expect(shell.started[0]?.port).toBe(4000);
    // The token stands behind the #: no browser sends that to a server, and no log holds it.
    const { admin } = parse(shell.started[0]?.configText ?? '') as { admin: { token: string } };
    expect(shell.out).toMatch(new RegExp(`http://127\\.0\\.0\\.1:\\d+/console/#token=${admin.token}\\n`));
    expect(shell.out).toMatch(
      /curl -i http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions -H 'Authorization: Bearer us-demo-/,
    );
    expect(closed).toBe(1);
  });

  it.each([
    [
      'the first model was not left',
      () => {
        fake.servedModel = 'sim/fail-503';
      },
    ],
    [
      'the request failed',
      () => {
        fake.status = 502;
      },
    ],
    [
      'the stream broke off',
      () => {
        fake.stream = CHUNK;
      },
    ],
  ])('X-1: exits 1 when %s', async (_, spoil) => {
    spoil();
    expect(await shell.run('demo', '--once')).toBe(1);
    expect(shell.err).toContain('the demonstration failed');
    expect(closed).toBe(1);
    expect(existsSync(shell.started[0]!.dataDir)).toBe(false);
  });

  it('takes a free port when 4000 is taken, but never another than the one asked for', async () => {
    const start = shell.gateway;
    shell.gateway = (options) =>
      options.port === 0 ? start(options) : Promise.reject(systemError('EADDRINUSE', 'listen'));
    const ended = shell.run('demo');
    await shell.signal('SIGINT');
    expect(await ended).toBe(0);
    expect(shell.started.map((options) => options.port)).toEqual([4000, 0]);
    expect(await shell.run('demo', '--port', '4000')).toBe(1);
    expect(shell.err).toContain('port 4000 on 127.0.0.1 is in use');
  });
});

describe('demo with the real gateway', () => {
  it('X-1: a request survives an outage, and the folder keeps its records but no unseen key', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'understudy-demo-test-'));
    try {
      shell.gateway = startGateway;
      expect(await shell.run('demo', '--once', '--data', folder)).toBe(0);
      expect(shell.out).toContain('2. sim/ok via sim  served 200');
      expect(existsSync(join(folder, 'understudy.db'))).toBe(true);
      expect(existsSync(join(folder, FIRST_RUN_FILE))).toBe(false);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('answerText', () => {
  it('T-4: a stream without its terminator is no answer', () => {
    expect(answerText(`${CHUNK}${CHUNK}data: [DONE]\n\n`, true)).toBe('Yes.Yes.');
    expect(answerText(CHUNK, true)).toBeNull();
    expect(answerText(WHOLE, false)).toBe('Yes.');
    expect(answerText('<html>', false)).toBeNull();
  });
});
