/** Recorded requests judged under another decision table, counted by the cell in which they part from what happened. */
import { OUTCOMES } from '../outcome.ts';
import type { AttemptRecord, Outcome, RequestRecord } from '../record.ts';
import type { EngineEvent } from './machine.ts';
import { eventFromJson, type Json, setupFromJson } from './replay.ts';
import { type Divergence, type Judged, type OtherTable, whatIf } from './what-if.ts';

/** What of a record is needed to judge it. */
export type ReplayableRecord = Pick<RequestRecord, 'id' | 'outcome' | 'attempts' | 'events' | 'setup'>;

/** Requests that part from what happened in the same cell and in the same way. */
export interface CellCount {
  readonly row: Divergence['row'];
  readonly class: Divergence['class'];
  readonly was: Divergence['was'];
  readonly would: Divergence['would'];
  requests: number;
  /** How they really ended. */
  readonly outcomes: Record<Outcome, number>;
  /** Calls that would not have been made, and what they cost; null = nobody knows. */
  calls_saved: number | null;
  cost_saved_nano_usd: number | null;
  /** The newest of them. */
  readonly example_request_ids: string[];
}

/** Ids shown per cell: enough to look at, and an answer stays small however many requests there are. */
const MOST_EXAMPLES = 3;

/** Counts record by record, newest first; what it holds is bounded by the cells of the table. */
export class WhatIfTally {
  requests = 0;
  /** Too old, too new, or without what their run started from. */
  notReplayable = 0;
  undecided = 0;
  otherError = 0;
  changed = 0;
  readonly #other: OtherTable;
  readonly #cells = new Map<string, CellCount>();

  constructor(other: OtherTable) {
    this.#other = other;
  }

  get replayed(): number {
    return this.requests - this.notReplayable;
  }

  /** Most requests first. */
  get cells(): readonly CellCount[] {
    return [...this.#cells.values()].sort((a, b) => b.requests - a.requests);
  }

  add(record: ReplayableRecord): void {
    this.requests += 1;
    const judged = judge(record, this.#other);
    if (judged === null) {
      this.notReplayable += 1;
      return;
    }
    const { result } = judged;
    if (result.kind === 'undecided') this.undecided += 1;
    if (result.kind === 'other_error') this.otherError += 1;
    if (result.kind !== 'changed') return;
    this.changed += 1;
    count(this.#cellOf(result), record, result);
  }

  #cellOf({ row, class: failed, was, would }: Divergence): CellCount {
    const name = `${row} ${failed} ${was} ${would}`;
    const known = this.#cells.get(name);
    if (known !== undefined) return known;
    // What follows a stop is known: nothing. What another call would have come to, and cost, is not.
    const saved = would === 'stop' ? 0 : null;
    const cell: CellCount = {
      row,
      class: failed,
      was,
      would,
      requests: 0,
      outcomes: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>,
      calls_saved: saved,
      cost_saved_nano_usd: saved,
      example_request_ids: [],
    };
    this.#cells.set(name, cell);
    return cell;
  }
}

function count(cell: CellCount, { id, outcome, attempts }: ReplayableRecord, { nextAttempt }: Divergence): void {
  cell.requests += 1;
  cell.outcomes[outcome] += 1;
  if (cell.example_request_ids.length < MOST_EXAMPLES) cell.example_request_ids.push(id);
  if (cell.calls_saved === null) return;
  const later = attempts.filter(({ no, rehearsed }) => no >= nextAttempt && rehearsed !== true);
  cell.calls_saved += later.length;
  for (const { cost_nano_usd: cost } of later) {
    cell.cost_saved_nano_usd =
      cost === null || cell.cost_saved_nano_usd === null ? null : cell.cost_saved_nano_usd + cost;
  }
}

/** Null = the record lacks what is needed, or today's engine would not decide as it says. */
function judge({ setup, events, attempts }: ReplayableRecord, other: OtherTable): Judged | null {
  const start = setupFromJson((setup ?? null) as Json);
  if (start === null) return null;
  const read: EngineEvent[] = [];
  for (const json of events ?? []) {
    const event = eventFromJson(json as Json);
    if (event === null) return null;
    read.push(event);
  }
  const judged = whatIf(start, read, other);
  return attempts.every((attempt) => agrees(attempt, judged)) ? judged : null;
}

/** An attempt that was cut off before anything was decided about it says nothing. */
function agrees({ no, decision }: AttemptRecord, { decisions }: Judged): boolean {
  const again = decisions.get(no);
  return again === undefined || again === decision;
}
