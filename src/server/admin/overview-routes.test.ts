import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminRig, startAdminRig, WALL } from '../../../test/support/admin-rig.ts';

const CONFIG = `
workspaces: { acme: {}, beta: {} }
members:
  lead: { role: workspace_admin, workspace: acme, token: token-lead-0123456789 }
`;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let rig: AdminRig;
beforeEach(async () => {
  rig = await startAdminRig(CONFIG);
});
afterEach(() => rig.close());

const get = (query: string, token?: string) =>
  rig.call('GET', `/admin/v1/overview${query}`, token === undefined ? {} : { token });

describe('the overview', () => {
  it('O-5: is of the last hour unless it is told otherwise', async () => {
    expect((await get('')).body).toMatchObject({ step_ms: 60_000, totals: { requests: 0 }, covering: [] });
    await get(`?from=${WALL - DAY}&to=${WALL}&workspace=beta`);
    expect(rig.records.overviewAsked).toEqual([
      { from: WALL + 1 - HOUR, to: WALL + 1 },
      { from: WALL - DAY, to: WALL, workspace: 'beta' },
    ]);
  });

  it.each([
    [`?from=${WALL}&to=${WALL}`, 'from'],
    [`?from=${WALL + DAY}`, 'from'],
    [`?from=${WALL - 31 * DAY - 1}&to=${WALL}`, 'from'],
    ['?from=yesterday', 'from'],
    ['?to=never', 'to'],
    ['?to=999999999999999', null],
    ['?to=9999999999999999', 'to'],
    ['?step=1', 'step'],
  ])('O-5: %s', async (query, param) => {
    const answer = await get(query);
    if (param === null) expect(answer.status).toBe(200);
    else expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_parameter', param } } });
    expect(rig.bugs).toEqual([]);
  });

  it('G-8: a workspace admin’s is of its own workspace, another one’s is empty', async () => {
    const token = 'token-lead-0123456789';
    expect((await get('', token)).status).toBe(200);
    expect(await get('?workspace=beta', token)).toMatchObject({ status: 200, body: { totals: { requests: 0 } } });
    expect(rig.records.overviewAsked.map(({ workspace }) => workspace)).toEqual(['acme']);
  });
});
