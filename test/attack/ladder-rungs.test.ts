/** What a rung must not give (E-4): to whom it is not due, in a form not asked for, for money or time that is not there. */
import { expect, it } from 'vitest';
import type { NewJob } from '../../src/ports/job-store.ts';
import { errorStep, jsonStep, okBody } from '../faults/answers.ts';
import { waitFor } from '../faults/gateway.ts';
import type { RouteSpec } from '../faults/gateway-config.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { jsonOf, MESSAGES, type RulesRig, withRules } from '../rules/rules-rig.ts';

const down = errorStep(503, { message: 'down' });
const KEEPS = { over: { workspaces: { main: { answers: { keep: true } } } } };
const calm = { health: { circuit: { consecutive: 1000, min_calls: 1000 } } };
const cache = { on_exhausted: [{ cache: { max_age_s: 3600 } }] };
const queue = { on_exhausted: ['queue'] };
const one = (...steps: readonly (typeof down)[]): Record<string, RouteSpec> => ({ m: { up: { A: steps } } });

/** Notes the jobs that are added; `later` puts them off, so that no try is made. */
function watchAdds(rig: RulesRig, later: boolean): NewJob[] {
  const { jobs } = rig.gateway.inside.ladder;
  const add = jobs.add.bind(jobs);
  const added: NewJob[] = [];
  jobs.add = (job) => {
    added.push(job);
    return add(later ? { ...job, dueAt: job.dueAt + 60_000 } : job);
  };
  return added;
}

function finished(rig: RulesRig, url: string): Promise<Record<string, unknown>> {
  return waitFor(async () => {
    const job = jsonOf(await rig.get(url));
    return job['status'] === 'processing' ? null : job;
  }, 'the job');
}

/** One channel whose calls cost at most some 0.01 USD. */
const priced = (...steps: readonly (typeof down)[]): Record<string, RouteSpec> => ({
  m: { up: { A: steps }, channels: [{ up: 'A', more: { price: { input: 1, output: 10 } } }] },
});
/** Sent and lost: it may have cost all it could. */
const lost = { status: 504 };

it('E-4, D-4: what max_cost_usd has ended is not queued: later is no cheaper', () =>
  withRules(
    priced(lost),
    async (rig) => {
      const added = watchAdds(rig, true);
      const redundancy = { ...queue, max_cost_usd: 0.015, retries: 3 };
      const answer = await rig.ask('m', { max_tokens: 1000, redundancy });
      expect([answer.status, rig.called().length]).toEqual([502, 1]);
      expect(jsonOf(answer)['error']).toMatchObject({ code: 'retry_exhausted', budget: 'cost' });
      expect(added).toEqual([]);
    },
    calm,
  ));

it('E-4, D-4: the tries of a job share what the request has left of its money', () =>
  withRules(
    priced(lost),
    async (rig) => {
      const redundancy = { ...queue, max_cost_usd: 0.025 };
      const answer = await rig.ask('m', { max_tokens: 1000, redundancy });
      expect(answer.status).toBe(202);
      // Two calls are paid for: the request's own and one try's. The second try finds no money.
      expect(await finished(rig, String(jsonOf(answer)['status_url']))).toMatchObject({ status: 'failed' });
      expect(rig.called()).toHaveLength(2);
    },
    calm,
  ));

it('E-4, X-4: failures that were rehearsed are not rehearsed again by its job', () =>
  withRules(
    one(okBody('late')),
    async (rig) => {
      const headers = { 'x-understudy-rehearse': 'status=503;times=9' };
      const answer = await rig.ask('m', { redundancy: { ...queue, max_attempts: 1 } }, { headers });
      expect(answer.status).toBe(202);
      expect(await finished(rig, String(jsonOf(answer)['status_url']))).toMatchObject({
        status: 'succeeded',
        tries: 1,
      });
    },
    { ...calm, over: { keys: [{ name: 'test', workspace: 'main', secret: CLIENT_KEY, allow_rehearse: true }] } },
  ));

it('E-4, D-3: a job waits for five minutes at most, whatever a provider states', () =>
  withRules(
    one(errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' }, { 'retry-after': '3600' })),
    async (rig) => {
      const added = watchAdds(rig, true);
      expect((await rig.ask('m', { redundancy: queue })).status).toBe(202);
      expect(added.map(({ dueAt, at }) => dueAt - at)).toEqual([5 * 60 * 1000]);
    },
    calm,
  ));

it('E-4, G-3: a kept answer of a model that this request’s chain does not have is not given', () =>
  withRules(
    { ...one(down), n: { up: { B: [okBody('from n'), down] } } },
    async (rig) => {
      const ask = (models: string) =>
        rig.post({ messages: MESSAGES, redundancy: cache }, { headers: { 'x-understudy-models': models } });
      expect((await ask('m,n')).status).toBe(200);
      expect((await ask('m')).status).toBe(503);
      expect((await ask('m,n')).text).toContain('from n');
    },
    { ...calm, ...KEEPS },
  ));

it('E-4: a kept answer that a workspace should not have any more is not given', () =>
  withRules(
    one(down),
    async (rig) => {
      const { kept } = rig.gateway.inside.ladder;
      const body = Buffer.from(JSON.stringify(okBody('old').body));
      kept.newest = () =>
        Promise.resolve({ body, stream: false, servedModel: 'm', degradedReasons: [], requestId: 'r', at: Date.now() });
      expect((await rig.ask('m', { redundancy: cache })).status).toBe(503);
    },
    calm,
  ));

it('E-4: an answer kept in the classic form is none for the other endpoint, nor the other way round', async () => {
  for (const [first, then] of [
    ['/chat/completions', '/v1/chat/completions'],
    ['/v1/chat/completions', '/chat/completions'],
  ] as const) {
    await withRules(
      one(okBody('kept'), down),
      async (rig) => {
        const send = (path: string) => rig.ask('m', { redundancy: cache }, { path });
        expect((await send(first)).status).toBe(200);
        expect((await send(then)).status).toBe(503);
        expect((await send(first)).text).toContain('kept');
      },
      { ...calm, ...KEEPS },
    );
  }
});

it.each([
  ['a refusal', { content: null, refusal: 'I will not' }, 'stop'],
  ['a filtered answer', { content: 'only a part' }, 'content_filter'],
  ['an empty answer', { content: '' }, 'stop'],
])('E-4, F-5: %s is served and not kept', (_name, message, finish_reason) => {
  const answer = jsonStep(200, {
    id: 'r',
    object: 'chat.completion',
    created: 1,
    model: 'up',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
  return withRules(
    one(answer, down),
    async (rig) => {
      expect((await rig.ask('m', { redundancy: cache })).status).toBe(200);
      expect((await rig.ask('m', { redundancy: cache })).status).toBe(503);
    },
    { ...calm, ...KEEPS },
  );
});
