/**
 * A run's setup for its record, in two parts. What many requests have in common, the options of their key with the policy
 * table, is named by its object and stored once; what is the request's own is written as its difference from the usual,
 * field by field, so that a field added to a plan or to the options is carried without a word here.
 */
import type { RunSetup } from './begin.ts';
import { differing, isJsonObject, type Json, type JsonObject, toJson } from './json-form.ts';
import type { FailoverOptions } from './options.ts';
import { packPlan, unpackPlan } from './pack-plan.ts';

export interface SplitSetup {
  /** The same object request after request: base options first, then another policy's table where one was asked for. */
  readonly shared: readonly object[];
  /** Plain JSON. */
  readonly own: JsonObject;
}

/** What most requests are; only what differs is written. */
const USUAL = { keyed: false, actsUpstream: false, attemptOffset: 0 } as const;
/** Written in a way of their own. */
const APART = new Set(['plan', 'options']);
const TABLE = new Set(['table']);

/** `base`: the options of a request of the same key that asks for nothing. */
export function splitSetup(setup: RunSetup, base: FailoverOptions): SplitSetup {
  const { plan, options } = setup;
  const own = differing(setup, USUAL, APART);
  own['plan'] = packPlan(plan) ?? toJson(plan);
  if (options === base) return { shared: [base], own };
  const { table } = options;
  own['options'] = differing(options, base, TABLE);
  return { shared: table === base.table ? [base] : [base, table], own };
}

/** The setup as `setupToJson` writes it; null when parts are missing or are none. `shared`: their JSON forms. */
export function joinSetup(own: Json, shared: readonly (Json | undefined)[]): Json | null {
  const [base, table] = shared;
  if (!isJsonObject(own) || !isJsonObject(base) || (shared.length > 1 && !isJsonObject(table))) return null;
  const { plan, options, ...rest } = own;
  const whole = Array.isArray(plan) ? unpackPlan(plan) : isJsonObject(plan) ? plan : null;
  if (whole === null) return null;
  const asked = isJsonObject(options) ? options : {};
  return {
    ...USUAL,
    ...rest,
    plan: whole,
    options: { ...base, ...asked, ...(table === undefined ? {} : { table }) },
  };
}
