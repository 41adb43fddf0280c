/** Where two rules meet: money and own credentials, capabilities and channels that are not ours, levels of privacy. */
import { describe, expect, it } from 'vitest';
import { okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { MESSAGES, type RulesSettings, withRules } from './rules-rig.ts';

const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
const fine = [okBody('fine')];

describe('G-4: an unknown price', () => {
  const prepaid = (kind: 'byok' | 'platform'): RulesSettings => {
    const owner = kind === 'byok' ? { kind, workspace: 'main' } : {};
    return {
      over: {
        workspaces: { main: { balance_usd: 1 } },
        credentials: { one: { provider: 'p-m-a', secret: 'sk-one-0123456789', ...owner } },
      },
    };
  };

  it('G-4: keeps a prepaid workspace from the operator’s credential, not from its own, which it pays itself', async () => {
    for (const [kind, status] of [
      ['byok', 200],
      ['platform', 502],
    ] as const) {
      const routes = { m: { channels: [{ up: 'A' }], up: { A: fine } } };
      const settings = prepaid(kind);
      await withRules(
        routes,
        async (rig) => {
          const answer = await rig.ask('m', { redundancy: {} });
          expect([kind, answer.status]).toEqual([kind, status]);
          const { candidates } = await rig.record(answer);
          expect(candidates[0]?.skip_reason).toBe(kind === 'byok' ? null : 'price_unknown');
        },
        settings,
      );
    }
  });
});

describe('P-6: channels that are not ours', () => {
  it('P-6, P-1: one that could, but may not be called, makes no model capable', async () => {
    const channels = [
      { up: 'A', capabilities: { features: ['tools'] } },
      { up: 'B', capabilities: { features: [] } },
    ];
    const over = { workspaces: { main: { enabled_channels: ['m#b1', 'n#*'] } } };
    await withRules(
      { m: { channels, up: { A: fine, B: fine } }, n: { up: { C: fine } } },
      async (rig) => {
        const answer = await rig.post({ models: ['m', 'n'], messages: MESSAGES, tools: TOOLS });
        expect([answer.status, errorOf(answer)['code']]).toEqual([400, 'unsupported_model_input']);
        expect(rig.called()).toEqual([]);
        expect((await rig.ask('m')).status).toBe(200);
      },
      { over },
    );
  });
});

describe('C-3: privacy', () => {
  it('C-3, G-2: a request raises the level its workspace sets, never lowers it', async () => {
    const channels = [{ up: 'A', more: { max_privacy: 'internal' } }];
    const over = { workspaces: { main: { redundancy: { privacy_level: 'internal' } } } };
    await withRules(
      {
        m: { channels, up: { A: fine } },
        n: { channels: [{ up: 'B', more: { max_privacy: 'public' } }], up: { B: fine } },
      },
      async (rig) => {
        const asked = (model: string, level: string) => rig.ask(model, { redundancy: { privacy_level: level } });
        expect((await asked('n', 'public')).status).toBe(403);
        expect((await asked('m', 'public')).status).toBe(200);
        expect((await asked('m', 'confidential')).status).toBe(403);
      },
      { over },
    );
  });
});
