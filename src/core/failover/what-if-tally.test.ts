import { describe, expect, it } from 'vitest';
import { layout, optionsOf } from '../../../sim/virtual/layout.ts';
import { type Outcome as Call, OUTCOMES } from '../../../sim/virtual/outcome.ts';
import { traceOf } from '../../../sim/virtual/trace.ts';
import { sampleAttempt } from '../../../test/support/sample-draft.ts';
import type { Outcome } from '../record.ts';
import { eventToJson, type Json, setupToJson } from './replay.ts';
import type { OtherTable } from './what-if.ts';
import { type ReplayableRecord, WhatIfTally } from './what-if-tally.ts';

const { ok, server_error: down, cut } = OUTCOMES;
const TARGETS = 'a:A1 b:B1 c:C1';
const STOP: OtherTable = {
  policy: null,
  cells: { server_error: { steps: ['stop'], repeatOnlyIfSingle: false, repeats: null, keyedReadsClass: false } },
};

function throughText(json: Json): Json {
  return JSON.parse(JSON.stringify(json)) as Json;
}

/** As the log gives it back. */
function recorded(
  id: string,
  script: readonly Call[],
  outcome: Outcome,
  costs: readonly (number | null)[],
  targets = TARGETS,
) {
  const run = traceOf({ targets, script });
  const setup = setupToJson({
    plan: layout(targets),
    options: optionsOf(),
    keyed: false,
    actsUpstream: false,
    attemptOffset: 0,
    now: run.initial.at.now,
  });
  const attempts = run.decisions.map((decision, index) =>
    sampleAttempt(index + 1, {
      decision: decision as 'serve',
      result: decision === 'serve' ? 'served' : 'failed',
      cost_nano_usd: costs[index] ?? null,
    }),
  );
  const record: ReplayableRecord = {
    id,
    outcome,
    attempts,
    events: run.events.map((event) => throughText(eventToJson(event))),
    setup: throughText(setup),
  };
  return record;
}

const SAVED = (id: string) => recorded(id, [down, down, ok], 'success', [0, 5, 70]);
const LOST = recorded('req_lost', [down], 'upstream_unavailable', [0, 0, 0]);

describe('D-12: many recorded requests under another table', () => {
  it('are counted by cell, with how they really ended and the calls that a stop would have saved', () => {
    const tally = new WhatIfTally(STOP);
    for (const id of ['req_5', 'req_4', 'req_3', 'req_2']) tally.add(SAVED(id));
    tally.add(LOST);
    tally.add(recorded('req_fine', [ok], 'success', [9]));
    expect(tally).toMatchObject({ requests: 6, replayed: 6, notReplayable: 0, changed: 5, undecided: 0 });
    expect(tally.cells).toEqual([
      {
        row: 'server_error',
        class: 'server_error',
        was: 'next_model',
        would: 'stop',
        requests: 5,
        outcomes: {
          success: 4,
          client_error: 0,
          upstream_rate_limited: 0,
          upstream_unavailable: 1,
          network_unknown: 0,
          safety_refusal: 0,
        },
        calls_saved: 10,
        cost_saved_nano_usd: 300,
        example_request_ids: ['req_5', 'req_4', 'req_3'],
      },
    ]);
  });

  it('what another call would have cost is not made up', () => {
    const tally = new WhatIfTally({
      policy: null,
      cells: { server_error: { ...STOP.cells.server_error!, steps: ['retry', 'next_model'] } },
    });
    tally.add(SAVED('req_1'));
    expect(tally.cells).toMatchObject([{ would: 'retry', calls_saved: null, cost_saved_nano_usd: null }]);
  });

  it('a saved call of unknown cost makes the sum unknown, and only that; a rehearsed one saves nothing (X-4)', () => {
    const tally = new WhatIfTally(STOP);
    const unpriced = recorded('req_1', [down, down, ok], 'success', [0, null, 70]);
    tally.add({
      ...unpriced,
      attempts: unpriced.attempts.map((one) => (one.no === 2 ? { ...one, rehearsed: true } : one)),
    });
    expect(tally.cells).toMatchObject([{ calls_saved: 1, cost_saved_nano_usd: 70 }]);
    tally.add(unpriced);
    expect(tally.cells).toMatchObject([{ calls_saved: 3, cost_saved_nano_usd: null }]);
  });

  it('records that lack their setup, hold an unknown event or tell of another engine are not replayable', () => {
    const tally = new WhatIfTally(STOP);
    const good = SAVED('req_1');
    tally.add({ ...good, setup: null });
    tally.add({ ...good, events: [{ type: 'of-another-version', now: 1, wall: 1, random: 0 }] });
    tally.add({ ...good, attempts: good.attempts.map((one) => ({ ...one, decision: 'next_channel' })) });
    expect(tally).toMatchObject({ requests: 3, replayed: 0, notReplayable: 3, changed: 0 });
  });

  it('the same course with another error is counted apart', () => {
    const tally = new WhatIfTally({
      policy: null,
      cells: { maybe_executed: { ...STOP.cells.server_error!, steps: ['stop'] } },
    });
    tally.add(recorded('req_lost', [cut], 'upstream_unavailable', [], 'a:A1'));
    expect(tally).toMatchObject({ changed: 0, otherError: 1 });
  });
});
