/** The page, third part: a second model, by a virtual one or `understudy/auto`, and what it has to be able to do. */
import { describe, expect, it } from 'vitest';
import { okBody } from '../../faults/answers.ts';
import { errorOf } from '../../faults/invariants.ts';
import { MESSAGES } from '../rules-rig.ts';
import { ALL, DOWN, FINE, type Json, LIMITED, refusal, servedBy, WHOLE_ORDER, withPage } from './page.ts';

const orderOf = (model: string): string[] => WHOLE_ORDER.map((name) => name.replace('m/', `${model}/`));
const limited = { a: [LIMITED], b: [LIMITED] };
const fine = { a: [FINE], b: [FINE] };

const WAYS: [string, string, (models: string[]) => Json][] = [
  ['a virtual model', 'smart', (models) => ({ virtual_models: { smart: { models } } })],
  ['understudy/auto', 'understudy/auto', (models) => ({ auto: models })],
];

describe.each(WAYS)('through %s', (_way, name, workspaceOf) => {
  it('C-6, C-7: model after model, each by all its channels and credentials; then the default model', async () => {
    const world = { models: { m: limited, n: limited }, last: [FINE], workspace: workspaceOf(['m', 'n']) };
    await withPage(world, async (page) => {
      const answer = await page.ask(name, { redundancy: ALL });
      expect(page.tried()).toEqual([...WHOLE_ORDER, ...orderOf('n'), 'last']);
      expect([answer.status, servedBy(answer)]).toEqual([200, 'last']);
    });
  });

  it('C-6: the answer of a model in the middle ends it', async () => {
    const world = {
      models: { m: { a: [DOWN], b: [DOWN] }, n: fine },
      last: [FINE],
      workspace: workspaceOf(['m', 'n']),
    };
    await withPage(world, async (page) => {
      expect(servedBy(await page.ask(name))).toBe('n');
      expect(page.tried()).toEqual(['m/a-own1', 'm/b-own1', 'n/a-own1']);
    });
  });
});

describe('what the models have to be able to do', () => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
  const image_url = { url: 'data:image/png;base64,aGk=' };
  const picture = [{ role: 'user', content: [{ type: 'image_url', image_url }] }];
  const needs: [string, Json, Json, string][] = [
    ['this endpoint', {}, { apis: ['responses'] }, 'unsupported_model_api'],
    ['pictures', { messages: picture }, { input: ['text'] }, 'unsupported_model_input'],
    ['tools', { tools }, { input: ['text', 'image'], features: [] }, 'unsupported_model_input'],
  ];

  it.each(needs)(
    'P-6: one that has not %s is not skipped: 400 at its turn, and no model after it',
    async (_what, fields, can, code) => {
      const capabilities = can as Record<string, string[]>;
      const models = { m: { a: [DOWN], b: [DOWN] }, n: { ...fine, capabilities }, o: fine };
      const workspace = { virtual_models: { smart: { models: ['m', 'n', 'o'] } }, auto: ['n', 'o'] };
      await withPage({ models, last: [FINE], workspace }, async (page) => {
        const ask = (model: string) => page.post({ model, messages: MESSAGES, ...fields });
        expect(refusal(await ask('smart'))).toEqual([400, code]);
        expect(page.tried()).toEqual(['m/a-own1', 'm/b-own1']);
        expect(refusal(await ask('understudy/auto'))).toEqual([400, code]);
        const direct = await ask('n');
        expect(refusal(direct)).toEqual([400, code]);
        expect(errorOf(direct)['message']).toContain('`n`');
        expect(page.tried(), 'nobody more was called').toHaveLength(2);
      });
    },
  );

  it('P-6: a miss of the default model is a 400 at its turn as well', async () => {
    const n = { ...fine, capabilities: { input: ['text'] } };
    const world = { models: { m: { a: [DOWN], b: [DOWN] }, n }, workspace: { default_model: 'n' } };
    await withPage(world, async (page) => {
      const answer = await page.post({ model: 'm', messages: picture });
      expect(refusal(answer)).toEqual([400, 'unsupported_model_input']);
      expect(page.tried()).toEqual(['m/a-own1', 'm/b-own1']);
    });
  });

  it('P-6: who asks for it has such models skipped', async () => {
    const models = { m: { ...fine, capabilities: { input: ['text'] } }, n: { a: [okBody('seen')], b: [FINE] } };
    await withPage({ models, workspace: { auto: ['m', 'n'] } }, async (page) => {
      const redundancy = { skip_incapable: true };
      expect(servedBy(await page.post({ model: 'understudy/auto', messages: picture, redundancy }))).toBe('n');
      expect(page.tried()).toEqual(['n/a-own1']);
    });
  });
});
