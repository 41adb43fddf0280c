/**
 * A plan in few bytes: `[models, rows, rest]`. A row is `[model, channel, credential, window?, more?]` of one candidate in
 * order; those without a reason to be skipped are the models' targets, in the same order, so each is written once. What
 * is as usual is not written.
 */
import { differing, isJsonObject, type Json, type JsonObject } from './json-form.ts';
import type { Candidate, Plan, PlannedModel, PlannedTarget } from './plan-types.ts';

type Row = Candidate & Partial<Omit<PlannedTarget, keyof Candidate>> & Pick<PlannedTarget, 'rank' | 'target'>;

const USUAL_PLAN: Readonly<Record<string, unknown>> = { explicit: false };
const USUAL_MODEL: Readonly<Record<string, unknown>> = {
  timeoutMs: null,
  firstTokenTimeoutMs: null,
  reasons: false,
  contextWindow: null,
  skipped: null,
  origin: 'request',
};
const USUAL_ROW: Readonly<Record<string, unknown>> = {
  skip: null,
  contextWindow: null,
  throughOpenCircuit: false,
  throughBackoff: false,
};

/** Null for a plan whose targets are not its candidates themselves: it has no short form. */
export function packPlan(plan: Plan): Json | null {
  const targets = plan.models.length === 1 ? plan.models[0]!.targets : plan.models.flatMap((model) => model.targets);
  const rows: Json[] = [];
  let planned = 0;
  for (const candidate of plan.candidates) {
    if (candidate.skip === null) {
      if (candidate !== (targets[planned] as Candidate | undefined)) return null;
      planned += 1;
    }
    const row = packRow(candidate, rows.length + 1);
    if (row === null) return null;
    rows.push(row);
  }
  if (planned !== targets.length) return null;
  return [plan.models.map(packModel), rows, differing(plan, USUAL_PLAN, PLAN_PARTS)];
}

const PLAN_PARTS = new Set(['models', 'candidates']);
const MODEL_PARTS = new Set(['targets']);
const ROW_PARTS = new Set(['rank', 'target', 'contextWindow']);

function packModel(model: PlannedModel): Json {
  const packed = differing(model, USUAL_MODEL, MODEL_PARTS);
  packed['targets'] = model.targets.length;
  return packed;
}

/** `rank`: the one it has by its place. Null for one that lacks a field which an unpacked row would have. */
function packRow(row: Row, rank: number): Json | null {
  const { model, channel, credential } = row.target;
  const window = row.contextWindow;
  if (window === undefined || row.throughOpenCircuit === undefined || row.throughBackoff === undefined) return null;
  if (row.rank !== rank) return null;
  if (isUsual(row)) {
    return window === null ? [model, channel, credential] : [model, channel, credential, window];
  }
  return [model, channel, credential, window, differing(row, USUAL_ROW, ROW_PARTS)];
}

/** Nothing but what its place and its target say: most rows, so no object is made to find out. */
function isUsual(row: Row): boolean {
  const all = row as unknown as Readonly<Record<string, unknown>>;
  for (const name in all) {
    const part = all[name];
    if (part !== USUAL_ROW[name] && part !== undefined && !ROW_PARTS.has(name)) return false;
  }
  return true;
}

/** The plan as JSON again; null when it is none. */
export function unpackPlan(packed: readonly Json[]): Json | null {
  const [models, rows, rest] = packed;
  if (!Array.isArray(models) || !Array.isArray(rows) || !isJsonObject(rest)) return null;
  const candidates = rows.map((row, i) => unpackRow(row, i + 1));
  if (!candidates.every((row) => row !== null)) return null;
  const targets = candidates.filter(({ skip }) => skip === null);
  let taken = 0;
  const whole: Json[] = [];
  for (const model of models as readonly Json[]) {
    if (!isJsonObject(model) || typeof model['targets'] !== 'number') return null;
    const own = targets.slice(taken, taken + model['targets']);
    taken += model['targets'];
    whole.push({ ...USUAL_MODEL, ...model, targets: own } as JsonObject);
  }
  if (taken !== targets.length) return null;
  return { ...USUAL_PLAN, ...rest, models: whole, candidates };
}

function unpackRow(row: Json, rank: number): JsonObject | null {
  if (!Array.isArray(row)) return null;
  const [model, channel, credential, contextWindow, more] = row as readonly Json[];
  if (typeof model !== 'number' || typeof channel !== 'number') return null;
  const target = { model, channel, credential: credential ?? null };
  const own = { rank, target, contextWindow: contextWindow ?? null };
  return { ...USUAL_ROW, ...own, ...(isJsonObject(more) ? more : {}) } as JsonObject;
}
