/** One key over three replicas: one run, one answer, whoever asks where (I-4, I-6, I-8, I-9, I-11, T-4). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../../src/assemble.ts';
import { buildProgram, GatewayProcess, type Program } from '../crash/gateway-lives.ts';
import { type RawAnswer, sendRaw } from '../faults/raw-client.ts';
import { type HeldCall, HeldUpstream } from '../support/replicas/held-upstream.ts';
import { ADMIN, CLIENT, eventually, Replicas, SEAL } from '../support/replicas/in-process.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/servers/redis.ts';

interface Asking {
  readonly key: string;
  readonly stream?: boolean;
  /** Members of the body beside the usual. */
  readonly fields?: object;
  /** Leaves when this resolves. */
  readonly leaveOn?: Promise<unknown>;
}

type Place = Pick<RunningGateway, 'url'>;

describe.runIf(hasPostgres() && hasRedis())('one key over three replicas', () => {
  let redis: RedisServer;
  let replicas: Replicas;
  let upstream: HeldUpstream;
  let one: RunningGateway;
  let two: RunningGateway;
  let three: RunningGateway;
  let config: (store: string) => object;

  beforeAll(async () => {
    upstream = await HeldUpstream.start();
    redis = await startRedis();
    config = (store) => ({
      store,
      shared: redis.url,
      server: { host: '127.0.0.1' },
      admin: { token: ADMIN },
      providers: { up: { type: 'openai-compatible', base_url: upstream.url } },
      models: { m: { channels: [{ provider: 'up' }] } },
      keys: [{ name: 'own', secret: CLIENT }],
      defaults: { redundancy: { retries: 0, deadline_ms: 120_000 } },
      health: { circuit: { consecutive: 100_000, min_calls: 100_000 } },
    });
    replicas = await Replicas.open(3, (store) => config(store));
    [one, two, three] = replicas.all as [RunningGateway, RunningGateway, RunningGateway];
    for (const { gateway } of replicas.all)
      gateway.keyed.store.joins!.onJoin(({ ref, joiner }) =>
        heard.set(ref.keyHash, (heard.get(ref.keyHash) ?? new Set()).add(joiner)),
      );
  });
  afterAll(async () => {
    await replicas.close();
    await Promise.all([upstream.close(), redis.stop()]);
  });

  const ask = ({ url }: Place, { key, stream = false, fields = {}, leaveOn }: Asking): Promise<RawAnswer> =>
    sendRaw({
      url: `${url}/v1/chat/completions`,
      headers: { authorization: `Bearer ${CLIENT}`, 'idempotency-key': key },
      body: { model: 'm', stream, messages: [{ role: 'user', content: key }], ...fields },
      ...(leaveOn === undefined ? {} : { leaveOn }),
    });
  /** In turns, as behind a load balancer. */
  const turn = (n: number): RunningGateway => [one, two, three][n % 3]!;
  const called = async (marker: string): Promise<HeldCall> => {
    await eventually(`a call for ${marker}`, () => upstream.of(marker).length > 0);
    return upstream.of(marker)[0]!;
  };
  /** Rounds, and at which replicas somebody waits for them, as those that run them have heard. */
  const heard = new Map<string, Set<string>>();
  /** At both other replicas somebody waits for a run that nobody waited for before, and who runs it knows. */
  const joined = async (): Promise<void> => {
    await eventually('joined', () => [...heard].some(([hash, at]) => !settled.has(hash) && at.size === 2));
    for (const hash of heard.keys()) settled.add(hash);
  };
  const settled = new Set<string>();
  const words = ({ text }: RawAnswer): string => text.replaceAll(/^:.*\n\n?/gm, '');
  const status = ({ status: code }: RawAnswer): number | null => code;

  it('I-6: 200 equal requests over all three are one call, and get one answer', async () => {
    const key = 'plain';
    const asked = Array.from({ length: 200 }, (_, n) => ask(turn(n), { key }));
    const call = await called(key);
    await joined();
    call.end('the answer');
    const answers = await Promise.all(asked);
    expect(new Set(answers.map(status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(upstream.of(key)).toHaveLength(1);
    const replayed = await Promise.all([one, two, three].map((at) => ask(at, { key })));
    expect(replayed.map(({ headers }) => headers['idempotent-replayed'])).toEqual(['true', 'true', 'true']);
    expect(new Set(replayed.map(({ text }) => text))).toEqual(new Set([answers[0]!.text]));
  });

  it('I-6: 200 equal streams over all three are one call, and get the same bytes while they come', async () => {
    const key = 'streamed';
    let seen = '';
    const watching = sendRaw({
      url: `${two.url}/v1/chat/completions`,
      headers: { authorization: `Bearer ${CLIENT}`, 'idempotency-key': key },
      body: { model: 'm', stream: true, messages: [{ role: 'user', content: key }] },
      leaveWhen: (text) => {
        seen = text;
        return false;
      },
    });
    const asked = Array.from({ length: 199 }, (_, n) => ask(turn(n), { key, stream: true }));
    const call = await called(key);
    for (let n = 0; n < 20; n += 1) call.say(`piece ${n}. `);
    await eventually('seen while it streams', () => seen.includes('piece 19.'));
    call.say('and the last');
    call.end();
    const answers = await Promise.all([watching, ...asked]);
    expect(new Set(answers.map(({ status: code, end }) => `${code} ${end}`))).toEqual(new Set(['200 complete']));
    expect(new Set(answers.map(words)).size).toBe(1);
    expect(words(answers[0]!)).toContain('and the last');
    expect(upstream.of(key)).toHaveLength(1);
    // I-4: a replay of a stream is a stream of the same words, wherever it is asked for.
    const replayed = await Promise.all([one, two, three].map((at) => ask(at, { key, stream: true })));
    expect(new Set(replayed.map(words))).toEqual(new Set([words(answers[0]!)]));
  });

  it.each([false, true])(
    'I-9: it goes on for who waits elsewhere when its own client leaves (stream: %s)',
    async (stream) => {
      const key = `left-${stream}`;
      let leave: (value?: unknown) => void = () => undefined;
      const leaveOn = new Promise((resolve) => {
        leave = resolve;
      });
      const fields = { redundancy: { finish_on_disconnect: false } };
      const first = ask(one, { key, stream, fields, leaveOn });
      const call = await called(key);
      // Who waits at one of the others leaves too; who waits at the last stays.
      const second = ask(three, { key, stream, fields });
      const third = ask(two, { key, stream, fields, leaveOn });
      await joined();
      leave();
      expect([(await first).end, (await third).end]).toEqual(['left', 'left']);
      if (stream) call.say('still here');
      call.end('still here');
      const answer = await second;
      expect([answer.status, answer.end]).toEqual([200, 'complete']);
      expect(answer.text).toContain('still here');
      expect([call.isGone, upstream.of(key).length]).toEqual([false, 1]);
    },
  );

  it('I-9: when everybody everywhere has left, the upstream is let go', async () => {
    const key = 'all-left';
    let leave: (value?: unknown) => void = () => undefined;
    const leaveOn = new Promise((resolve) => {
      leave = resolve;
    });
    const fields = { redundancy: { finish_on_disconnect: false } };
    const first = ask(one, { key, fields, leaveOn });
    const call = await called(key);
    const others = [two, three, two, three].map((at) => ask(at, { key, fields, leaveOn }));
    await joined();
    leave();
    await Promise.all([first, ...others]);
    await eventually('let go', () => call.isGone);
    const again = ask(three, { key, fields });
    await eventually('asked anew', () => upstream.of(key).length === 2);
    upstream.of(key)[1]!.end('anew');
    expect((await again).status).toBe(200);
  });

  it('I-6: a failure is everybody’s', async () => {
    const key = 'failed';
    const asked = Array.from({ length: 20 }, (_, n) => ask(turn(n), { key }));
    const call = await called(key);
    await joined();
    call.fail(400);
    const answers = await Promise.all(asked);
    expect(new Set(answers.map(status))).toEqual(new Set([400]));
    const codes = answers.map(({ text }) => (JSON.parse(text) as { error: { code: string; message: string } }).error);
    expect(new Set(codes.map(({ code, message }) => `${code} ${message}`)).size).toBe(1);
    expect(upstream.of(key)).toHaveLength(1);
  });

  it('I-6: without a word between them it is slower, and as right', async () => {
    const key = 'unheard';
    let isOver = false;
    const cutting = (async () => {
      while (!isOver) {
        await replicas.schema.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE pid <> pg_backend_pid() AND (query LIKE 'LISTEN%' OR query LIKE 'SELECT pg_notify%' OR query = 'SELECT 1')`,
        );
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    try {
      const asked = Array.from({ length: 20 }, (_, n) => ask(turn(n), { key, stream: true }));
      const call = await called(key);
      await joined();
      call.say('heard ');
      call.say('all the same');
      call.end();
      const answers = await Promise.all(asked);
      expect(new Set(answers.map(({ status: code, end }) => `${code} ${end}`))).toEqual(new Set(['200 complete']));
      expect(new Set(answers.map(words)).size).toBe(1);
      expect(upstream.of(key)).toHaveLength(1);
    } finally {
      isOver = true;
      await cutting;
    }
  });

  describe('and a replica that is killed', () => {
    let program: Program;
    beforeAll(async () => {
      program = await buildProgram();
    }, 120_000);
    afterAll(() => program.remove());

    it('T-4, I-8: who saw a beginning is told that it broke off; the next one gets an answer', {
      timeout: 180_000,
    }, async () => {
      const key = 'killed';
      const process = new GatewayProcess(program, '', {});
      const configText = JSON.stringify({ version: 1, ...config(replicas.schema.url) });
      const dataDir = `${one.dataDir}-killed`;
      const url = (await process.start({ configText, dataDir, env: SEAL }))!;
      const own = ask({ url }, { key, stream: true });
      const call = await called(key);
      let seen = '';
      const waiting = sendRaw({
        url: `${two.url}/v1/chat/completions`,
        headers: { authorization: `Bearer ${CLIENT}`, 'idempotency-key': key },
        body: { model: 'm', stream: true, messages: [{ role: 'user', content: key }] },
        leaveWhen: (text) => {
          seen = text;
          return false;
        },
      });
      call.say('a beginning');
      await eventually('seen elsewhere', () => seen.includes('a beginning'));
      process.child.kill('SIGKILL');
      expect((await own).end).toBe('cut');
      const answer = await waiting;
      expect(answer.text).toContain('a beginning');
      expect(answer.text).not.toContain('[DONE]');
      expect(answer.text).toContain('"code":"gateway_restarted"');
      const again = ask(one, { key, stream: true });
      await eventually('asked anew', () => upstream.of(key).length === 2);
      upstream.of(key)[1]!.say('anew');
      upstream.of(key)[1]!.end();
      expect(await again.then(({ status: code, text }) => [code, text.includes('anew')])).toEqual([200, true]);
    });
  });
});
