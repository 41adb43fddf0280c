/** The cases of `fixtures/fault-cases.json` as values: what an upstream does, what the client sends. */
import { readFileSync } from 'node:fs';
import type { Step } from '../../sim/index.ts';

/** One expected upstream call: a simulator's step plus the case's own notes. */
interface UpstreamEntry extends Step {
  readonly who?: string;
  readonly note?: string;
  readonly credential?: string;
  readonly expect?: string;
  readonly assert_request?: string;
  readonly must_not_be_called?: boolean;
}

export interface FaultCase {
  readonly id: string;
  readonly tier: number;
  readonly kind: string;
  readonly setup: string;
  readonly client_request: {
    readonly method: string;
    readonly path: string;
    readonly body: Readonly<Record<string, unknown>>;
    readonly headers?: Readonly<Record<string, string>>;
  };
  readonly upstreams: readonly UpstreamEntry[];
  readonly wrong: string;
  readonly right: string;
}

export const FAULT_CASES: readonly FaultCase[] = JSON.parse(
  readFileSync(new URL('./fixtures/fault-cases.json', import.meta.url), 'utf8'),
);

/** The case of this id; a misspelt one throws. */
export function faultCase(id: string): FaultCase {
  const found = FAULT_CASES.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no fault case ${id}`);
  return found;
}

/** The case's steps for one upstream, in order. */
export function stepsOf(one: FaultCase, who: string): Step[] {
  return one.upstreams.filter((entry) => entry.who === who && entry.must_not_be_called !== true).map(toStep);
}

/** The nth entry of the case as a step. */
export function stepAt(one: FaultCase, index: number): Step {
  const entry = one.upstreams[index];
  if (entry === undefined) throw new Error(`${one.id} has no upstream ${index}`);
  return toStep(entry);
}

function toStep(entry: UpstreamEntry): Step {
  const {
    who: _who,
    note: _note,
    credential: _credential,
    expect: _expect,
    assert_request: _assert,
    must_not_be_called: _never,
    ...step
  } = entry;
  return step;
}

/** What the case's client sends, without the model's name. */
export function fieldsOf(one: FaultCase): Record<string, unknown> {
  const { model: _model, ...fields } = one.client_request.body;
  return fields;
}
