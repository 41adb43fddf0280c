/** P-8: requests that name what lives at one upstream account. */
import { describe, expect, it } from 'vitest';
import { okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { type RulesSettings, withRules } from './rules-rig.ts';

const ROUTES = { m: { up: { A: [okBody('x')] } } };
const FILE = { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] };

function own(names: readonly string[], byokOnly: boolean): RulesSettings {
  const byok = names.map((name) => [
    name,
    { provider: 'p-m-a', secret: `sk-${name}`, kind: 'byok', workspace: 'main' },
  ]);
  return {
    over: {
      credentials: { ...Object.fromEntries(byok), platform: { provider: 'p-m-a', secret: 'sk-platform' } },
      workspaces: { main: { routing: { channels: { m: { a0: { byok_only: byokOnly } } } } } },
    },
  };
}

describe('P-8: state at an upstream account', () => {
  it('is refused where the account may be another’s, and nobody is called', async () => {
    await withRules(ROUTES, async (rig) => {
      for (const fields of [FILE, { previous_response_id: 'resp_1' }]) {
        const answer = await rig.ask('m', fields);
        expect(answer.status).toBe(400);
        expect(errorOf(answer)).toMatchObject({ code: 'unsupported_state', type: 'invalid_request_error' });
        expect((await rig.record(answer)).outcome).toBe('client_error');
      }
      expect(errorOf(await rig.ask('m', FILE))).toMatchObject({ param: 'messages[0].content[0]' });
      expect(rig.called()).toEqual([]);
      expect((await rig.post({ model: 'm', ...FILE }, { path: '/v1/plan' })).status).toBe(400);
    });
  });

  it.each([
    ['goes where nothing but one credential of the workspace’s own can be called', ['own'], true, 200],
    ['not where the platform’s can be called as well', ['own'], false, 400],
    ['not where there are two of its own', ['own', 'other-own'], true, 400],
  ])('%s', async (_what, names, byokOnly, status) => {
    await withRules(
      ROUTES,
      async (rig) => {
        expect((await rig.ask('m', FILE)).status).toBe(status);
        expect(rig.called()).toHaveLength(status === 200 ? 1 : 0);
        expect((await rig.ask('m')).status).toBe(200);
      },
      own(names, byokOnly),
    );
  });
});
