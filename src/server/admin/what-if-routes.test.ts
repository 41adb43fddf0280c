import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layout, optionsOf } from '../../../sim/virtual/layout.ts';
import { OUTCOMES } from '../../../sim/virtual/outcome.ts';
import { traceOf } from '../../../sim/virtual/trace.ts';
import { ADMIN_TOKEN, type AdminRig, startAdminRig, WALL } from '../../../test/support/admin-rig.ts';
import { sampleAttempt } from '../../../test/support/sample-draft.ts';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import { eventToJson, setupToJson } from '../../core/failover/replay.ts';
import type { FailedRecord } from '../../ports/record-store.ts';

const TOKEN = 'acme-admin-token-0123456789';
const MEMBERS = `
workspaces: { acme: {}, beta: {} }
members: { ours: { role: workspace_admin, workspace: acme, token: ${TOKEN} } }
`;

let rig: AdminRig;
beforeEach(async () => {
  rig = await startAdminRig();
});
afterEach(() => rig.close());

const judge = (body: unknown, token = ADMIN_TOKEN) =>
  rig.call('POST', '/admin/v1/policies/what-if', { token, body: body as object });

/** Saved by the second model after a 500 of the first. */
function saved(id: string): FailedRecord {
  const targets = 'a:A1 b:B1';
  const run = traceOf({ targets, script: [OUTCOMES.server_error, OUTCOMES.ok] });
  const options = optionsOf();
  const setup = { plan: layout(targets), options, keyed: false, actsUpstream: false, attemptOffset: 0 };
  return {
    id,
    at: '2026-11-29T09:00:00.000Z',
    policy: 'standard',
    outcome: 'success',
    attempts: [
      sampleAttempt(1, { decision: 'next_model', class: 'server_error' }),
      sampleAttempt(2, { cost_nano_usd: 700 }),
    ],
    events: run.events.map(eventToJson),
    setup: setupToJson({ ...setup, now: run.initial.at.now }),
  };
}

describe('D-12: POST /admin/v1/policies/what-if', () => {
  it('tells in which cell requests would have gone another way, how they ended, and what a stop would have saved', async () => {
    rig.records.broken = [saved('req_2'), saved('req_1'), { ...saved('req_0'), setup: null }];
    const { status, body } = await judge({ table: { server_error: ['stop'] } });
    expect(status).toBe(200);
    expect(body).toEqual({
      from: new Date(WALL + 1 - 86_400_000).toISOString(),
      to: new Date(WALL + 1).toISOString(),
      requests: 3,
      replayed: 2,
      not_replayable: 1,
      changed: 2,
      other_error: 0,
      undecided: 0,
      partial: false,
      oldest_at: '2026-11-29T09:00:00.000Z',
      by_cell: [
        {
          row: 'server_error',
          class: 'server_error',
          was: 'next_model',
          would: 'stop',
          requests: 2,
          outcomes: {
            success: 2,
            client_error: 0,
            upstream_rate_limited: 0,
            upstream_unavailable: 0,
            network_unknown: 0,
            safety_refusal: 0,
          },
          calls_saved: 2,
          cost_saved_nano_usd: 1400,
          example_request_ids: ['req_2', 'req_1'],
        },
      ],
    });
  });

  it('a policy by name is the one in force, cells are laid over it, in either shape', async () => {
    rig.records.broken = [saved('req_1')];
    const would = async (body: object) =>
      ((await judge(body)).body as { by_cell: { would: string }[] }).by_cell[0]?.would;
    expect(await would({ policy: 'standard' })).toBeUndefined();
    expect(await would({ policy: 'strict' })).toBe('retry');
    expect(await would({ policy: 'strict', table: null })).toBe('retry');
    expect(await would({ policy: 'strict', table: { server_error: ['next_model'] } })).toBeUndefined();
    expect(await would({ table: { server_error: { steps: ['retry', 'next_model'] } } })).toBe('retry');
    const lone = {
      steps: ['retry', 'next_model'],
      repeat_only_if_single: true,
      repeats: null,
      keyed_reads_class: false,
    };
    expect(await would({ table: { server_error: lone } })).toBeUndefined();
    expect(
      await would({ table: { server_error: { ...lone, repeat_only_if_single: false, repeats: 0 } } }),
    ).toBeUndefined();
  });

  it('what the list of policies shows can be sent as it is', async () => {
    rig.records.broken = [saved('req_1')];
    const listed = (await rig.call('GET', '/admin/v1/policies', { token: ADMIN_TOKEN })).body as {
      data: {
        name: string;
        cells: {
          row: string;
          steps: string[];
          repeat_only_if_single: boolean;
          repeats: number | null;
          keyed_reads_class: boolean;
        }[];
      }[];
    };
    for (const { name, cells } of listed.data) {
      const table = Object.fromEntries(
        cells.map(({ row, steps, repeat_only_if_single, repeats, keyed_reads_class }) => [
          row,
          { steps, repeat_only_if_single, repeats, keyed_reads_class },
        ]),
      );
      const [whole, named] = [await judge({ policy: name, table }), await judge({ policy: name })];
      expect(whole.status).toBe(200);
      expect(whole.body).toEqual(named.body);
    }
  });

  it.each([
    [{}, 'policy'],
    [{ policy: null, table: null }, 'policy'],
    [{ policy: 'bold' }, 'policy'],
    [{ table: [] }, 'table'],
    [{ table: { earthquake: ['stop'] } }, 'table.earthquake'],
    [{ table: { auth: [] } }, 'table.auth'],
    [{ table: { auth: 'stop' } }, 'table.auth'],
    [{ table: { auth: ['run_away'] } }, 'table.auth.0'],
    [{ table: { auth: ['stop', 'next_model'] } }, 'table.auth.1'],
    [{ table: { auth: ['alert', 'alert'] } }, 'table.auth.1'],
    [{ table: { auth: { steps: ['stop', 'retry'] } } }, 'table.auth.steps.1'],
    [{ table: { auth: { steps: ['stop'], repeats: -1 } } }, 'table.auth.repeats'],
    [{ table: { auth: { repeats: 1 } } }, 'table.auth.steps'],
    [{ table: { auth: { steps: ['stop'], repeat: 1 } } }, 'table.auth.repeat'],
    [{ policy: 'strict', from: 'yesterday' }, 'from'],
    [{ policy: 'strict', from: '2026-11-29T10:00:00Z', to: '2026-11-29T09:00:00Z' }, 'from'],
    [{ policy: 'strict', workspace: '' }, 'workspace'],
    [{ policy: 'strict', recorded_policy: 'bold' }, 'recorded_policy'],
    [{ policy: 'strict', tabel: {} }, 'tabel'],
  ])('%j is 400 and names %s', async (body, param) => {
    const answer = await judge(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { param, message: expect.stringContaining(`\`${param}\``) } });
    expect(rig.records.failedAsked).toEqual([]);
  });

  it('a step that is none is told as one, not as a wrong kind of cell', async () => {
    const { body } = await judge({ table: { auth: ['stop', 'run_away'] } });
    expect(body).toMatchObject({ error: { message: expect.stringContaining('must be one of wait_retry, retry') } });
  });

  it('an empty list is told to be empty, not to be no list', async () => {
    const { body } = await judge({ table: { auth: [] } });
    expect(body).toMatchObject({ error: { message: expect.stringContaining('at least one step') } });
  });

  it('the time and the workspace asked for are those looked at', async () => {
    const [from, to] = ['2026-11-28T00:00:00Z', '2026-11-28T12:00:00+02:00'];
    await judge({ policy: 'strict', from, to, workspace: 'acme' });
    expect(rig.records.failedAsked).toEqual([
      { from: Date.UTC(2026, 10, 28), to: Date.UTC(2026, 10, 28, 10), workspace: 'acme' },
    ]);
  });

  it('O-2: a log that can not be read is 503', async () => {
    rig.records.fault = new ClientError(gatewayError('store_unavailable', 'The request log cannot be read.'));
    expect((await judge({ policy: 'strict' })).status).toBe(503);
  });
});

describe('G-8: whose requests are judged', () => {
  it('a workspace admin’s are its own; of another workspace there is nothing', async () => {
    await rig.close();
    rig = await startAdminRig(MEMBERS);
    rig.records.broken = [saved('req_1')];
    expect((await judge({ policy: 'strict' }, TOKEN)).body).toMatchObject({ requests: 1 });
    expect((await judge({ policy: 'strict', workspace: 'beta' }, TOKEN)).body).toMatchObject({
      requests: 0,
      by_cell: [],
      oldest_at: null,
    });
    expect(rig.records.failedAsked.map(({ workspace }) => workspace)).toEqual(['acme']);
  });
});
