import { describe, expect, it } from 'vitest';
import { layout, optionsOf } from '../../../sim/virtual/layout.ts';
import { failing, OUTCOMES } from '../../../sim/virtual/outcome.ts';
import { traceOf } from '../../../sim/virtual/trace.ts';
import type { Json } from './json-form.ts';
import { packPlan, unpackPlan } from './pack-plan.ts';

const { ok: OK, server_error: DOWN, auth: REJECTED } = OUTCOMES;
const UNREACHABLE = failing({ class: 'connection_error' });

describe('D-2: a credential with an address of its own', () => {
  const route = (ownAddresses: string[], script: Parameters<typeof traceOf>[0]['script'], targets = 'a:A1,A2,A3,B1') =>
    traceOf({ targets, ownAddresses, script }).route;

  it.each([
    ['cannot be reached', UNREACHABLE],
    ['fails', DOWN],
  ])(
    "D-2: when its server %s, the provider's own is still tried, all its credentials passed over together",
    (_, fault) => {
      expect(route(['A1'], [fault, fault, OK])).toBe('A1 A2 B1');
      expect(route([], [fault, OK])).toBe('A1 B1');
    },
  );

  it("D-2: each own address stands alone, and the provider's faults say nothing about it", () => {
    expect(route(['A1', 'A2'], [DOWN, DOWN, DOWN, OK])).toBe('A1 A2 A3 B1');
    expect(route(['A3'], [DOWN, DOWN, OK])).toBe('A1 A3 B1');
  });

  it('D-2: a fault of the credential goes to the next one of the channel, wherever that is', () => {
    expect(route(['A1'], [REJECTED, REJECTED, OK])).toBe('A1 A2 A3');
  });

  it("D-6: moving from its server to the provider's draws on no retry budget", () => {
    const options = optionsOf({ policy: 'permissive' });
    const draws = (ownAddresses: string[]) =>
      traceOf({ targets: 'a:A1,A2', ownAddresses, options, script: [DOWN, OK] }).actions.flatMap((action) =>
        action.type === 'admit-attempt' ? [action.draws] : [],
      );
    expect(draws(['A1'])).toEqual([false, false]);
    expect(draws([])).toEqual([false, true]);
  });

  it('D-2: is remembered in the record of a request, so that it replays', () => {
    const plan = layout('a:A1', { ownAddresses: ['A1'] });
    const row = { ...plan.models[0]!.targets[0]!, skip: null, throughBackoff: false };
    const models = [{ ...plan.models[0]!, targets: [row] }];
    const packed = packPlan({ ...plan, models, candidates: [row] });
    expect(unpackPlan(packed as Json[])).toMatchObject({ models: [{ targets: [{ ownAddress: true }] }] });
  });
});
