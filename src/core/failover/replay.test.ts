import { describe, expect, it } from 'vitest';
import { layout, optionsOf } from '../../../sim/virtual/layout.ts';
import { OUTCOMES } from '../../../sim/virtual/outcome.ts';
import { traceOf } from '../../../sim/virtual/trace.ts';
import type { EngineEvent } from './machine.ts';
import { eventFromJson, eventToJson, type Json, replay, replayStored, setupFromJson, setupToJson } from './replay.ts';

function throughText(json: Json): Json {
  return JSON.parse(JSON.stringify(json)) as Json;
}

const input = {
  targets: 'a:A1,A2 b:B1',
  costs: { A: 5n, B: 7n },
  options: optionsOf({ maxCostNanoUsd: 100n, on: ['rate_limit', 'server_error'] }),
  random: 0.25,
};

describe('O-1: a recorded run can be run again', () => {
  const run = traceOf({ ...input, script: [OUTCOMES.rate_limit_long, OUTCOMES.server_error, OUTCOMES.ok] });

  it('the same events give the same actions', () => {
    expect(run.route).toBe('A1 A2 B1');
    expect(replay(run.initial, run.events)).toEqual(run.actions);
  });

  it('also from JSON alone, setup included', () => {
    const setup = setupToJson({
      plan: layout(input.targets, input),
      options: input.options,
      keyed: false,
      actsUpstream: false,
      attemptOffset: 0,
      now: run.initial.at.now,
    });
    const stored = run.events.map((event) => throughText(eventToJson(event)));
    expect(replayStored(throughText(setup), stored)?.actions).toEqual(run.actions);
  });

  it('events and setups survive JSON unchanged, money and sets included', () => {
    const last: EngineEvent = {
      type: 'attempt-completed',
      attempt: 3,
      cost: 9_007_199_254_740_993n,
      now: 1.5,
      wall: 2,
      random: 0.1,
    };
    for (const event of [...run.events, last]) expect(eventFromJson(throughText(eventToJson(event)))).toEqual(event);
    const setup = { plan: run.initial.plan, options: input.options, keyed: true, actsUpstream: false };
    const whole = { ...setup, attemptOffset: 2, now: 7 };
    expect(setupFromJson(throughText(setupToJson(whole)))).toEqual(whole);
  });

  it.each([
    ['null', null],
    ['text', 'begin'],
    ['no type', { now: 1, wall: 1, random: 0 }],
    ['an unknown type', { type: 'toString', now: 1, wall: 1, random: 0 }],
    ['no time', { type: 'begin', wall: 1, random: 0 }],
    ['no attempt', { type: 'admitted', now: 1, wall: 1, random: 0 }],
    ['no failure', { type: 'attempt-failed', attempt: 1, failure: null, now: 1, wall: 1, random: 0 }],
  ] as const)('%s is no event', (_name, json) => {
    expect(eventFromJson(json)).toBeNull();
    expect(replayStored(setupToJson({ ...run.initial, now: 0 }), [json])).toBeNull();
  });
});
