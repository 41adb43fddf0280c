/** Queued requests (E-4) belong to the key that sent them, and run under the configuration of their time. */
import { describe, expect, it } from 'vitest';
import { waitFor } from '../faults/gateway.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { type RawAnswer, sendRaw } from '../faults/raw-client.ts';
import { type AttackRig, type Config, withAttackRig } from './attack-rig.ts';
import { http, okAnswer, type RawCall } from './raw-upstream.ts';

const OTHER_KEY = 'another-client-key-0123456789';
const DOWN = '{"error":{"message":"down"}}';
const calm = (config: Config): void => {
  config['health'] = { circuit: { consecutive: 1000, min_calls: 1000 } };
};

/** Answers the first calls so, the rest well. */
const first =
  (...answers: readonly ((call: RawCall) => void)[]) =>
  (call: RawCall): void => {
    const answer = answers[call.no - 1];
    if (answer !== undefined) answer(call);
    else call.socket.write(http(200, okAnswer('late')));
  };
const down = ({ socket }: RawCall): void => void socket.write(http(503, DOWN));
/** Back in a while. */
const later =
  (seconds: number) =>
  ({ socket }: RawCall): void =>
    void socket.write(http(503, DOWN, [`retry-after: ${seconds}`]));
const silence = (): void => undefined;

async function queue(rig: AttackRig, fields: object = {}, redundancy: object = {}): Promise<string> {
  const answer = await rig.ask({ ...fields, redundancy: { on_exhausted: ['queue'], ...redundancy } });
  expect(answer.status).toBe(202);
  return String((JSON.parse(answer.text) as Record<string, unknown>)['status_url']);
}

function look(rig: AttackRig, path: string, key = CLIENT_KEY): Promise<RawAnswer> {
  return sendRaw({ url: rig.url + path, headers: { authorization: `Bearer ${key}` } });
}

function finished(rig: AttackRig, path: string, key = CLIENT_KEY): Promise<Record<string, unknown>> {
  return waitFor(async () => {
    const job = JSON.parse((await look(rig, path, key)).text) as Record<string, unknown>;
    return job['status'] === 'processing' ? null : job;
  }, 'the job');
}

const idOf = (path: string): string => path.split('/').at(-1)!;

describe('whose a job is', () => {
  it('E-4, G-8: a new key of an old name neither reads a job of the old one nor runs it', () =>
    withAttackRig(
      [first(later(2))],
      async (rig) => {
        const path = await queue(rig);
        await rig.reload((config) => {
          config['keys'] = [{ name: 'test', workspace: 'main', secret: OTHER_KEY }];
        });
        expect((await look(rig, path, OTHER_KEY)).status).toBe(404);
        const stored = await waitFor(async () => {
          const job = await rig.running.gateway.ladder.jobs.find(idOf(path));
          return job?.state === 'failed' ? job : null;
        }, 'the end of the job');
        expect(stored.result?.status).toBe(401);
        expect((await look(rig, path, OTHER_KEY)).status).toBe(404);
        expect(rig.ups[0]!.calls).toHaveLength(1);
      },
      { edit: calm },
    ));

  it('E-4, G-1: a result stays its key’s own, wherever that key has moved', () =>
    withAttackRig(
      [first(down)],
      async (rig) => {
        const path = await queue(rig);
        expect(await finished(rig, path)).toMatchObject({ status: 'succeeded' });
        await rig.reload((config) => {
          config['workspaces'] = { main: {}, other: {} };
          config['keys'] = [{ name: 'test', workspace: 'other', secret: CLIENT_KEY }];
        });
        expect((await look(rig, path)).status).toBe(404);
      },
      { edit: calm },
    ));
});

describe('a configuration that has changed meanwhile', () => {
  it('E-4, G-1: a model that is gone ends the job with 404, and nobody is called', () =>
    withAttackRig(
      [first(later(2))],
      async (rig) => {
        const path = await queue(rig);
        await rig.reload((config) => {
          const { m } = config['models'] as Record<string, unknown>;
          config['models'] = { n: m };
        });
        const job = await finished(rig, path);
        expect(job).toMatchObject({ status: 'failed', status_code: 404, tries: 1 });
        expect(job['error']).toMatchObject({ code: 'model_not_found' });
        expect(rig.ups[0]!.calls).toHaveLength(1);
      },
      { edit: calm },
    ));

  it('E-4, G-2: so does a guardrail that forbids it by now, with 403', () =>
    withAttackRig(
      [first(later(2))],
      async (rig) => {
        const path = await queue(rig);
        await rig.reload((config) => {
          config['workspaces'] = { main: { guardrails: { deny_models: ['m'] } } };
        });
        expect(await finished(rig, path)).toMatchObject({ status: 'failed', status_code: 403 });
        expect(rig.ups[0]!.calls).toHaveLength(1);
      },
      { edit: calm },
    ));

  it('E-4, D-9: while all targets rest nobody is called, and no try is used up', () =>
    withAttackRig(
      [first(down)],
      async (rig) => {
        const { jobs } = rig.running.gateway.ladder;
        const id = idOf(await queue(rig));
        const waiting = await waitFor(async () => {
          const job = await jobs.find(id);
          return job !== null && job.dueAt - job.at > 1000 ? job : null;
        }, 'the postponed job');
        expect(waiting).toMatchObject({ state: 'waiting', tries: 0 });
        expect(rig.ups[0]!.calls).toHaveLength(1);
      },
      {
        edit: (config) => {
          calm(config);
          (config['credentials'] as Record<string, Config>)['c0']!['limits'] = { rpm: 1 };
        },
      },
    ));
});

describe('what a try may repeat', () => {
  const acting = { web_search_options: {} };

  it('D-11, E-4: a call that acts upstream and may have been executed ends its job: it acts once', () =>
    withAttackRig(
      [first(down, silence), first()],
      async (rig) => {
        await rig.reload((config) => {
          (config['defaults'] as { redundancy: Record<string, unknown> }).redundancy['timeout_ms'] = 1000;
        });
        const path = await queue(rig, acting, { max_attempts: 1 });
        // Channel 1 is not asked: the first try got no answer from channel 0.
        const job = await finished(rig, path);
        expect(job).toMatchObject({ status: 'failed', tries: 1, status_code: 504 });
        expect(job['error']).toMatchObject({ code: 'upstream_outcome_unknown', maybe_executed: true });
        expect(rig.ups.map(({ calls }) => calls.length)).toEqual([2, 0]);
      },
      { edit: calm },
    ));

  it('D-10, E-4: under an idempotency key it may be tried again', () =>
    withAttackRig(
      [first(down, silence)],
      async (rig) => {
        await rig.reload((config) => {
          (config['defaults'] as { redundancy: Record<string, unknown> }).redundancy['timeout_ms'] = 1000;
        });
        const redundancy = { on_exhausted: ['queue'], max_attempts: 1 };
        const answer = await rig.ask({ ...acting, redundancy }, { headers: { 'idempotency-key': 'once' } });
        const path = String((JSON.parse(answer.text) as Record<string, unknown>)['status_url']);
        expect(await finished(rig, path)).toMatchObject({ status: 'succeeded', tries: 2 });
      },
      { edit: calm },
    ));
});

describe('a client that has gone', () => {
  it('E-4, T-6: a job whose client left before it could be told is taken back', () =>
    withAttackRig(
      [first(down)],
      async (rig) => {
        const { jobs } = rig.running.gateway.ladder;
        const add = jobs.add.bind(jobs);
        let asked: (id: string) => void = () => undefined;
        let goOn: () => void = () => undefined;
        const isAsked = new Promise<string>((resolve) => {
          asked = resolve;
        });
        const gate = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        jobs.add = async (job) => {
          const added = await add(job);
          asked(job.id);
          await gate;
          return added;
        };
        const answer = await rig.ask({ redundancy: { on_exhausted: ['queue'] } }, { leaveOn: isAsked });
        expect(answer.end).toBe('left');
        await look(rig, '/v1/key');
        goOn();
        const id = await isAsked;
        await waitFor(async () => ((await jobs.find(id)) === null ? true : null), 'the withdrawal');
        expect(rig.ups[0]!.calls).toHaveLength(1);
      },
      { edit: calm },
    ));
});
