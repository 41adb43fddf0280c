/**
 * A run's setup for its record, in two parts. What many requests have in common, the options of their key with the policy
 * table and a plan that comes again, is named by its object and stored once; what is the request's own is written as its
 * difference from the usual, field by field, so that a field added to a plan or to the options is carried without a word
 * here.
 */
import type { RunSetup } from './begin.ts';
import { differing, isJsonObject, type Json, type JsonObject, toJson } from './json-form.ts';
import type { FailoverOptions } from './options.ts';
import { packPlan, unpackPlan } from './pack-plan.ts';

export interface SplitSetup {
  /**
   * The same object request after request: base options first, then another policy's table where one was asked for, last
   * the plan where `own` has none.
   */
  readonly shared: readonly object[];
  /** Plain JSON. */
  readonly own: JsonObject;
}

/** What most requests are; only what differs is written. */
const USUAL = { keyed: false, actsUpstream: false, attemptOffset: 0 } as const;
/** Written in a way of their own. */
const APART = new Set(['plan', 'options']);
const TABLE = new Set(['table']);

/** `base`: the options of a request of the same key that asks for nothing. `recurs`: other requests have this very plan. */
export function splitSetup(setup: RunSetup, base: FailoverOptions, recurs: boolean): SplitSetup {
  const { plan, options } = setup;
  const own = differing(setup, USUAL, APART);
  const shared: object[] = [base];
  if (options !== base) {
    own['options'] = differing(options, base, TABLE);
    if (options.table !== base.table) shared.push(options.table);
  }
  if (recurs) shared.push(plan);
  else own['plan'] = packPlan(plan) ?? toJson(plan);
  return { shared, own };
}

/** The setup as `setupToJson` writes it; null when parts are missing or are none. `shared`: their JSON forms. */
export function joinSetup(own: Json, shared: readonly (Json | undefined)[]): Json | null {
  if (!isJsonObject(own)) return null;
  const { plan, options, ...rest } = own;
  const parts = plan === undefined ? shared.slice(0, -1) : shared;
  const [base, table] = parts;
  if (!isJsonObject(base) || (parts.length > 1 && !isJsonObject(table))) return null;
  const whole = Array.isArray(plan) ? unpackPlan(plan) : (plan ?? shared.at(-1));
  if (!isJsonObject(whole ?? undefined)) return null;
  const asked = isJsonObject(options) ? options : {};
  return {
    ...USUAL,
    ...rest,
    plan: whole as JsonObject,
    options: { ...base, ...asked, ...(table === undefined ? {} : { table }) },
  };
}
