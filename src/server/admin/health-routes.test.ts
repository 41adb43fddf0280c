/** Whose targets the health board shows (H-3, G-8). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminRig, startAdminRig } from '../../../test/support/admin-rig.ts';
import { healthKeys } from '../../core/health/keys.ts';

const CONFIG = `
workspaces: { acme: { enabled_models: ["up/*"] }, beta: {} }
providers: { up: { type: sim } }
credentials:
  platform: { provider: up, secret: p-secret-000000 }
  acme-own: { provider: up, secret: a-secret-000000, kind: byok, workspace: acme }
  beta-own: { provider: up, secret: b-secret-000000, kind: byok, workspace: beta }
models: { up/one: {}, other/two: { channels: [{ provider: up, model: x }] } }
members:
  boss: { role: account_admin, token: token-boss-0123456789 }
  lead: { role: workspace_admin, workspace: acme, token: token-lead-0123456789 }
`;

let rig: AdminRig;
beforeEach(async () => {
  rig = await startAdminRig(CONFIG);
  const keys = ['up/one', 'other/two'].flatMap((model) =>
    ['platform', 'acme-own', 'beta-own'].map((credential) =>
      healthKeys({ model, channelId: 'direct', channel: `${model}#direct`, credential, upstreamModel: model }),
    ),
  );
  rig.board.configureTargets(keys, 0);
});
afterEach(() => rig.close());

async function seen(query: string, token: string): Promise<string[]> {
  const { body } = await rig.call('GET', `/admin/v1/health/targets${query}`, { token });
  const { data } = body as unknown as { data: { model: string; credential: string }[] };
  return data.map(({ model, credential }) => `${model} ${credential}`).sort();
}

describe('the health board of a workspace', () => {
  const ACME = ['up/one acme-own', 'up/one platform'];
  const BETA = ['other/two beta-own', 'other/two platform', 'up/one beta-own', 'up/one platform'];

  it('H-3: `workspace` leaves the targets its requests could use', async () => {
    expect(await seen('', 'token-boss-0123456789')).toHaveLength(6);
    expect(await seen('?workspace=acme', 'token-boss-0123456789')).toEqual(ACME);
    expect(await seen('?workspace=beta', 'token-boss-0123456789')).toEqual(BETA);
  });

  it('G-8: a workspace’s admin sees its own, whatever the query says', async () => {
    expect(await seen('', 'token-lead-0123456789')).toEqual(ACME);
    expect(await seen('?workspace=acme', 'token-lead-0123456789')).toEqual(ACME);
    expect(await seen('?workspace=beta', 'token-lead-0123456789')).toEqual([]);
  });
});
