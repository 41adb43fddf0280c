import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { chatRequest, type RawAnswer, type RawRequest, sendRaw } from '../test/faults/raw-client.ts';
import { ScriptError } from './script/load.ts';
import type { Step } from './script/step.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';

const running: Simulator[] = [];

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(options);
  running.push(simulator);
  return simulator;
}

const startWith = (...steps: Step[]): Promise<Simulator> => start({ script: { models: { m: steps } } });

function ask(sim: Simulator, model: string, fields = {}, more: Partial<RawRequest> = {}): Promise<RawAnswer> {
  return sendRaw({ url: `${sim.url}/v1/chat/completions`, body: chatRequest(model, fields), ...more });
}

const dataOf = (answer: RawAnswer): string[] =>
  [...answer.text.matchAll(/^data: (.*?)\r?$/gm)].map((match) => match[1] ?? '');
const STREAM = { stream: true };

/** Until the simulator has seen the other side close. */
async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 4000 && !holds(); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(holds()).toBe(true);
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

describe('a healthy simulator', () => {
  it('X-1: answers Chat under any prefix, lists models, tells its health', async () => {
    const sim = await start();
    for (const path of ['/v1/chat/completions', '/openai/v1/chat/completions?x=1', '/chat/completions']) {
      const answer = await sendRaw({ url: sim.url + path, body: chatRequest('gpt-x') });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toMatchObject({ object: 'chat.completion', model: 'gpt-x' });
    }
    expect((await sendRaw({ url: `${sim.url}/healthz` })).status).toBe(200);
    const models = JSON.parse((await sendRaw({ url: `${sim.url}/v1/models` })).text);
    expect(models.data.map((model: { id: string }) => model.id)).toContain('fail-503');
    expect((await sendRaw({ url: `${sim.url}/v1/nothing`, body: {} })).status).toBe(404);
    expect((await sendRaw({ url: `${sim.url}/v1/chat/completions`, body: '{' })).status).toBe(400);
    expect((await ask(sim, 'fail-1')).status).toBe(404);
  });

  it('X-1: streams whole events ending in [DONE]; the same seed gives the same bytes', async () => {
    const [one, two, other] = await Promise.all([start({ seed: 5 }), start({ seed: 5 }), start({ seed: 6 })]);
    const answers = await Promise.all([one, two, other].map((sim) => ask(sim, 'ok', STREAM)));
    expect(answers[0]?.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(dataOf(answers[0] as RawAnswer).at(-1)).toBe('[DONE]');
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(answers[0]?.text).not.toBe(answers[2]?.text);
  });

  it('X-1: lists the calls with credential, digest and connection, over HTTP too; reset forgets them', async () => {
    const sim = await start({ name: 'A' });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await ask(sim, 'ok', {}, { agent, headers: { authorization: 'Bearer k1' } });
    await ask(sim, 'fail-503', {}, { agent, headers: { 'api-key': 'k2' } });
    agent.destroy();
    expect(sim.calls).toMatchObject([
      { no: 1, who: 'A', model: 'ok', credential: 'k1', status: 200, reused: false, answeredBy: 'ok' },
      { no: 2, who: 'A', model: 'fail-503', credential: 'k2', status: 503, reused: true, connection: 1 },
    ]);
    expect(sim.calls[0]?.bodyDigest).toMatch(/^[0-9a-f]{64}$/);
    const listed = JSON.parse((await sendRaw({ url: `${sim.url}/__sim/calls?after=1` })).text);
    expect(listed.calls).toHaveLength(1);
    expect(JSON.parse(listed.calls[0].body).model).toBe('fail-503');
    await sendRaw({ url: `${sim.url}/__sim/reset`, method: 'POST' });
    expect(sim.calls).toHaveLength(0);
  });

  it('X-1: keeps a bounded list', async () => {
    const sim = await start({ keep: { calls: 3, bodyBytes: 150 } });
    for (let i = 0; i < 8; i += 1) await ask(sim, 'ok');
    expect(sim.calls.length).toBeLessThan(6);
    expect(sim.calls.at(-1)?.no).toBe(8);
    expect(sim.calls.filter((call) => call.body !== null).length).toBeLessThanOrEqual(3);
    expect(sim.calls.at(-1)?.bodyDigest).not.toBeNull();
  });

  it('X-1: logs one line per call', async () => {
    const lines: string[] = [];
    const sim = await start({ log: (line) => lines.push(line) });
    await ask(sim, 'fail-429');
    await until(() => lines.length === 1);
    expect(lines).toEqual(['#1 POST /v1/chat/completions fail-429 → 429 by fail-429']);
  });
});

describe('ready-made faults', () => {
  it('X-1: fail-NNN has the status, a body fit for it, and a Retry-After for 429', async () => {
    const sim = await start();
    const limited = await ask(sim, 'fail-429');
    expect(limited.status).toBe(429);
    expect(limited.headers['retry-after']).toBe('1');
    expect(JSON.parse(limited.text).error.code).toBe('rate_limit_exceeded');
    expect((await ask(sim, 'fail-429-30')).headers['retry-after']).toBe('30');
    expect((await ask(sim, 'fail-524', STREAM)).headers['content-type']).toBe('text/html');
    expect((await ask(sim, 'fail-302')).headers['location']).toBe('/elsewhere');
    expect(JSON.parse((await ask(sim, 'fail-418')).text).error.message).toBeTypeOf('string');
  });

  it('X-1: slow-N sends the opening at once and the content later; late-N nothing', async () => {
    const sim = await start();
    const slow = await ask(sim, 'slow-150', STREAM);
    expect(slow.reads.length).toBeGreaterThan(2);
    expect((slow.reads[1]?.at ?? 0) - (slow.reads[0]?.at ?? 0)).toBeGreaterThan(100);
    expect((await ask(sim, 'late-150', STREAM)).headersAt).toBeGreaterThan(140);
    expect((await ask(sim, 'slow-150')).headersAt).toBeGreaterThan(140);
  });

  it('X-1: cut-N and reset-N break off after N events; hang-N stays open', async () => {
    const sim = await start();
    for (const name of ['cut-3', 'reset-3']) {
      const cut = await ask(sim, name, STREAM);
      expect([cut.status, cut.end, dataOf(cut).length], name).toEqual([200, 'cut', 3]);
      expect((await ask(sim, name)).end, name).toBe('cut');
    }
    expect((await ask(sim, 'cut-0', STREAM)).status).toBe(200);
    const hung = await ask(sim, 'hang-2', STREAM, { leaveAfterMs: 80 });
    expect([hung.end, dataOf(hung).length]).toEqual(['left', 2]);
    await until(() => typeof sim.calls.at(-1)?.closedByPeerAt === 'number');
    expect(sim.calls.filter((call) => call.closedByPeerAt !== null)).toHaveLength(1);
  });

  it('X-1: hang never answers and notes when the caller left; reset answers with a reset; not-http is no HTTP', async () => {
    const sim = await start();
    const hung = await ask(sim, 'hang', {}, { leaveAfterMs: 60 });
    expect([hung.status, hung.end]).toEqual([null, 'left']);
    await until(() => sim.openSockets() === 0);
    expect((sim.calls[0]?.closedByPeerAt ?? 0) - (sim.calls[0]?.at ?? 0)).toBeGreaterThan(40);
    const reset = await ask(sim, 'reset');
    expect([reset.status, reset.errorCode]).toEqual([null, 'ECONNRESET']);
    expect(sim.calls[1]?.closedByPeerAt).toBeNull();
    expect((await ask(sim, 'not-http')).errorCode).toMatch(/^HPE_/);
  });

  it('X-1: garbage, html, error and their places in a stream', async () => {
    const sim = await start();
    const parses = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const garbage = await ask(sim, 'garbage');
    expect([garbage.status, parses(garbage.text)]).toEqual([200, false]);
    expect(dataOf(await ask(sim, 'garbage-2', STREAM)).map(parses)).toEqual([true, true, false]);
    expect((await ask(sim, 'html')).text).toMatch(/^<!DOCTYPE html>/);
    expect(JSON.parse((await ask(sim, 'error')).text)).toHaveProperty('error');
    const broken = dataOf(await ask(sim, 'error-2', STREAM));
    expect(broken).toHaveLength(3);
    expect(JSON.parse(broken[2] ?? '')).toHaveProperty('error');
    const unfinished = dataOf(await ask(sim, 'no-finish', STREAM));
    expect(unfinished.at(-1)).toBe('[DONE]');
    expect(unfinished.slice(0, -1).every((text) => JSON.parse(text).choices[0].finish_reason === null)).toBe(true);
    expect(dataOf(await ask(sim, 'no-done', STREAM)).at(-1)).toMatch(/"finish_reason":"stop"/);
  });

  it('X-1: encodings, truthful and not; line ends; comments; writes of one byte', async () => {
    const sim = await start();
    const plain = (bytes: Buffer): unknown => JSON.parse(bytes.toString()).object;
    expect(plain(gunzipSync((await ask(sim, 'gzip')).body))).toBe('chat.completion');
    expect(plain(brotliDecompressSync((await ask(sim, 'br')).body))).toBe('chat.completion');
    expect(plain(inflateSync((await ask(sim, 'deflate')).body))).toBe('chat.completion');
    const lying = await ask(sim, 'lying-gzip');
    expect([lying.headers['content-encoding'], plain(lying.body)]).toEqual(['gzip', 'chat.completion']);
    expect(gunzipSync((await ask(sim, 'gzip', STREAM)).body).toString()).toMatch(/\[DONE\]/);
    expect((await ask(sim, 'crlf', STREAM)).text).toMatch(/\r\n\r\ndata: \[DONE\]\r\n\r\n$/);
    expect((await ask(sim, 'comments', STREAM)).text).toMatch(/^: SIMULATOR/);
    expect((await ask(sim, 'split-1', STREAM)).reads.length).toBeGreaterThan(300);
  });

  it('X-1: drip-N spreads an answer; long-N makes a long one; mixed-N mixes by the seed', async () => {
    const sim = await start({ seed: 9 });
    expect((await ask(sim, 'drip-20')).endedAt).toBeGreaterThan(130);
    expect(dataOf(await ask(sim, 'long-300', STREAM))).toHaveLength(303);
    const statuses = async (one: Simulator) => {
      const seen: (number | string | null)[] = [];
      for (let i = 0; i < 60; i += 1) {
        const answer = await ask(one, 'mixed-50');
        seen.push(answer.end === 'complete' ? answer.status : answer.end);
      }
      return seen;
    };
    const seen = await statuses(sim);
    expect(await statuses(await start({ seed: 9 }))).toEqual(seen);
    expect(new Set(seen).size).toBeGreaterThan(3);
    expect(seen.filter((one) => one === 200).length).toBeGreaterThan(20);
  });
});

describe('scripts', () => {
  it('X-1: status, headers, body, gzip, raw chunks with pauses and repeats, splits', async () => {
    const sim = await startWith(
      { status: 418, headers: { 'X-Odd': 'yes', 'content-type': 'text/x' }, body: 'tea' },
      { status: 404, body_gzip: { error: { message: 'no' } } },
      {
        chunks: ['data: a\n\n', { wait_ms: 60 }, { repeat: 2, wait_ms: 5, send: ': k\n\n' }, Buffer.from([0xff, 0x0a])],
      },
      { chunks: ['data: 你好😀\n\n'], split: 'every byte' },
      { status: 201 },
    );
    const tea = await ask(sim, 'm');
    expect([tea.status, tea.headers['x-odd'], tea.headers['content-type'], tea.text]).toEqual([
      418,
      'yes',
      'text/x',
      'tea',
    ]);
    const packed = await ask(sim, 'm');
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(packed.body).toString())).toEqual({ error: { message: 'no' } });
    const raw = await ask(sim, 'm');
    expect(raw.body.equals(Buffer.concat([Buffer.from('data: a\n\n: k\n\n: k\n\n'), Buffer.from([0xff, 0x0a])]))).toBe(
      true,
    );
    // By the simulator's own clock: when the bytes are read is the business of a busy machine.
    const { at, endedAt } = sim.calls[2] as (typeof sim.calls)[number];
    expect((endedAt ?? 0) - at).toBeGreaterThan(60);
    const split = await ask(sim, 'm', STREAM);
    expect(split.text).toBe('data: 你好😀\n\n');
    expect(split.reads.length).toBeGreaterThan(10);
    expect((await ask(sim, 'm')).status).toBe(201);
    expect(sim.calls.every((call) => call.answeredBy === 'script')).toBe(true);
  });

  it('X-1: every end: fin and rst cut, hang stays, a false length lies', async () => {
    const half = '{"id":"r","choices":[{"mess';
    const sim = await startWith(
      { body: half, end: 'fin' },
      { body: half, end: 'rst' },
      { headers: { 'content-length': 500 }, body: half, end: 'fin' },
      { body: half, end: 'hang' },
      { chunks: [], end: 'rst' },
      { chunks: [], end: 'hang' },
    );
    for (let i = 0; i < 3; i += 1) {
      const cut = await ask(sim, 'm');
      expect([cut.status, cut.text, cut.end]).toEqual([200, half, 'cut']);
    }
    const hung = await ask(sim, 'm', {}, { leaveAfterMs: 60 });
    expect([hung.text, hung.end]).toEqual([half, 'left']);
    const empty = await ask(sim, 'm');
    expect([empty.status, empty.text, empty.end]).toEqual([200, '', 'cut']);
    const silent = await ask(sim, 'm', {}, { leaveAfterMs: 60 });
    expect([silent.status, silent.end]).toEqual([200, 'left']);
  });

  it('X-1: random draws by weight and seed; times and steps count as ever', async () => {
    const sim = await start({
      seed: 4,
      script: { models: { m: [{ random: { ok: 0.7, 'fail-503': 0.3 }, times: 100 }, { status: 400 }] } },
    });
    const seen: (number | null)[] = [];
    for (let i = 0; i < 101; i += 1) seen.push((await ask(sim, 'm')).status);
    expect(seen[100]).toBe(400);
    expect(seen.filter((status) => status === 503).length).toBeGreaterThan(18);
    expect(seen.filter((status) => status === 503).length).toBeLessThan(42);
  });

  it('X-1: refused closes the port, and another script opens it again', async () => {
    const sim = await startWith({ status: 201 }, { socket: 'refused' });
    expect((await ask(sim, 'm')).status).toBe(201);
    const refused = await ask(sim, 'm');
    expect([refused.status, refused.errorCode]).toEqual([null, 'ECONNREFUSED']);
    await sim.setScript({ models: {} });
    expect((await ask(sim, 'm')).status).toBe(200);
    expect(await startWith({ socket: 'refused' }).then((closed) => ask(closed, 'm'))).toMatchObject({
      errorCode: 'ECONNREFUSED',
    });
  });

  it('X-1: a reset strikes only a reused connection', async () => {
    const sim = await startWith({ socket: 'rst_on_reuse_before_response' }, { status: 201 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const answers = [];
    for (let i = 0; i < 3; i += 1) answers.push(await ask(sim, 'm', {}, { agent }));
    agent.destroy();
    expect(answers.map((answer) => answer.status)).toEqual([200, null, 201]);
    expect(answers[1]?.errorCode).toBe('ECONNRESET');
  });

  it('X-1: before_body answers, or resets, while the request is still being sent', async () => {
    const sim = await start({
      // Beside a model that answers, a refused one has its connections reset.
      script: {
        models: { '*': [{ before_body: true, status: 503 }, { before_body: true, socket: 'refused' }, {}], m: [{}] },
      },
    });
    const body = Array.from({ length: 20 }, () => Buffer.alloc(1000, 32));
    const early = await ask(sim, 'x', {}, { body, writeGapMs: 100 });
    expect(early.status).toBe(503);
    // The whole upload would take two seconds.
    expect(early.headersAt).toBeLessThan(1500);
    const reset = await ask(sim, 'x', {}, { body, writeGapMs: 20 });
    expect([reset.status, reset.end]).toEqual([null, 'no_answer']);
    expect((await ask(sim, 'x')).status).toBe(200);
  });

  it('X-1: PUT /__sim/script exchanges the script, and refuses a wrong one whole', async () => {
    const sim = await start();
    const put = (body: string) => sendRaw({ url: `${sim.url}/__sim/script`, method: 'PUT', body });
    expect((await put('models: { m: [{ status: 502 }] }')).status).toBe(200);
    expect((await ask(sim, 'm')).status).toBe(502);
    const refused = await put('models: { m: [{ statsu: 502 }] }');
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text).error.problems[0]).toMatch(/^script:1:/);
    expect((await ask(sim, 'm')).status).toBe(502);
    expect(JSON.parse((await sendRaw({ url: `${sim.url}/__sim/script` })).text).models).toEqual({
      m: [{ status: 502 }],
    });
    expect((await sendRaw({ url: `${sim.url}/__sim/nothing` })).status).toBe(404);
    await expect(sim.setScript({ models: { m: [{ status: 5 }] } })).rejects.toThrow(ScriptError);
  });
});

describe('faults of its own', () => {
  it('X-1: an answer that can not be sent is said, in the log too, and the simulator goes on', async () => {
    const lines: string[] = [];
    const sim = await start({
      log: (line) => lines.push(line),
      script: { models: { m: [{ headers: { trailer: 'x-check' }, body: 'x' }, {}] } },
    });
    const failed = await ask(sim, 'm');
    expect([failed.status, JSON.parse(failed.text).error.code]).toEqual([500, 'simulator_fault']);
    expect((await ask(sim, 'm')).status).toBe(200);
    await ask(sim, 'bad\nname\u001b[2J');
    await until(() => lines.length > 3);
    expect(lines.join('')).toMatch(/simulator: /);
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f]/);
  });
});

describe('the X-Sim header', () => {
  it('X-1: makes the first calls fail, whatever the model says', async () => {
    const sim = await start();
    const headers = { 'x-sim': 'status=503;times=1;retry_after=9' };
    const first = await ask(sim, 'ok', {}, { headers });
    expect([first.status, first.headers['retry-after']]).toEqual([503, '9']);
    expect((await ask(sim, 'ok', {}, { headers })).status).toBe(200);
    expect((await ask(sim, 'ok', {}, { headers })).status).toBe(503);
    expect((await ask(sim, 'ok', STREAM, { headers: { 'x-sim': 'cut_after=2' } })).end).toBe('cut');
    expect((await ask(sim, 'ok', {}, { headers: { 'x-sim': 'body=plain;status=200' } })).text).toBe('plain');
    const wrong = await ask(sim, 'ok', {}, { headers: { 'x-sim': 'stat=503' } });
    expect([wrong.status, JSON.parse(wrong.text).error.code]).toEqual([400, 'invalid_x_sim']);
  });
});

describe('many at once', () => {
  it('X-1: holds 2,000 streams open and still answers', async () => {
    const sim = await start();
    const agent = new Agent({ keepAlive: false });
    const held = Array.from({ length: 2000 }, () => ask(sim, 'hang-3', STREAM, { agent }));
    await until(() => sim.openSockets() === 2000 && sim.calls.every((call) => call.status === 200));
    expect(dataOf(await ask(sim, 'ok', STREAM)).at(-1)).toBe('[DONE]');
    expect(sim.calls).toHaveLength(2001);
    await sim.close();
    const ends = new Set((await Promise.all(held)).map((answer) => answer.end));
    expect(ends.has('complete')).toBe(false);
  });

  it('X-1: close ends open connections and frees the port', async () => {
    const sim = await start();
    const hung = ask(sim, 'hang');
    await until(() => sim.calls.length === 1);
    await sim.close();
    expect((await hung).end).toBe('no_answer');
    const again = await start({ port: sim.port });
    expect(again.port).toBe(sim.port);
    await expect(startSimulator({ port: again.port })).rejects.toThrow(/EADDRINUSE/);
  });

  it('X-1: survives callers that send no HTTP and callers that leave in mid-request', async () => {
    const sim = await start();
    await new Promise<void>((resolve) => {
      const socket = connect(sim.port, '127.0.0.1', () => socket.end('hello\r\n\r\n'));
      socket.on('close', () => resolve());
      socket.resume();
    });
    await new Promise<void>((resolve) => {
      const socket = connect(sim.port, '127.0.0.1', () => {
        socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf');
        setTimeout(() => socket.destroy(), 20);
      });
      socket.on('close', () => resolve());
    });
    await until(() => sim.calls[0]?.closedByPeerAt !== null);
    const status = await new Promise((resolve) => get(`${sim.url}/healthz`, (answer) => resolve(answer.statusCode)));
    expect(status).toBe(200);
  });
});
