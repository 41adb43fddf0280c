/** How a workspace routes, as it is changed on this page: a draft beside what the gateway has. Pure. */
import type { Shape } from '../../api/client.ts';

export type Workspace = Shape<'Workspace'>;
export type Routing = NonNullable<Workspace['routing']>;
export type Strategy = NonNullable<Routing['strategy']>;
export type Affinity = NonNullable<Routing['affinity']>;
export type VirtualModel = NonNullable<Workspace['virtual_models']>[string];
type ChannelChoices = NonNullable<Routing['channels']>;

export const STRATEGIES = [
  'priority',
  'price',
  'latency',
  'throughput',
  'least_busy',
  'weighted',
  'round_robin',
] as const satisfies readonly Strategy[];
export const AFFINITIES = ['none', 'prompt_cache_key', 'user'] as const satisfies readonly Affinity[];
/** The built-in virtual model over `auto`. */
export const AUTO = 'understudy/auto';
/** As many as the gateway takes in one. */
export const MOST_MODELS = 10;

/** What of a workspace this page changes. */
export interface Draft {
  readonly default_model: string | null;
  readonly auto: readonly string[];
  readonly virtual_models: Readonly<Record<string, VirtualModel>>;
  readonly routing: Routing;
}

/** Fields of the workspace, as `PATCH` takes them; null takes one away. */
export interface Patch {
  default_model?: string | null;
  auto?: string[] | null;
  virtual_models?: Record<string, VirtualModel> | null;
  routing?: Routing | null;
}

export function draftOf({ default_model, auto, virtual_models, routing }: Workspace): Draft {
  return {
    default_model: default_model ?? null,
    auto: auto ?? [],
    virtual_models: virtual_models ?? {},
    routing: routing ?? {},
  };
}

/** Members in one order, so that equal things compare equal; the order of lists counts. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]));
}

/** What the draft changes; null = nothing. */
export function changesOf(base: Workspace, draft: Draft): Patch | null {
  const was = draftOf(base);
  const patch: Patch = {};
  if (was.default_model !== draft.default_model) patch.default_model = draft.default_model;
  if (!same(was.auto, draft.auto)) patch.auto = draft.auto.length === 0 ? null : [...draft.auto];
  if (!same(was.virtual_models, draft.virtual_models)) patch.virtual_models = { ...draft.virtual_models };
  if (!same(was.routing, draft.routing)) patch.routing = draft.routing;
  return Object.keys(patch).length === 0 ? null : patch;
}

/** What takes the changes of a patch back. */
export function reverseOf(base: Workspace, patch: Patch): Patch {
  const before: Patch = {};
  if ('default_model' in patch) before.default_model = base.default_model ?? null;
  if ('auto' in patch) before.auto = base.auto ?? null;
  if ('virtual_models' in patch) before.virtual_models = base.virtual_models ?? null;
  if ('routing' in patch) before.routing = base.routing ?? null;
  return before;
}

/** The draft made from `base`, made from `now` instead: what it changed stays changed, the rest is as it is now. */
export function rebased(base: Workspace, now: Workspace, draft: Draft): Draft {
  const [was, is] = [draftOf(base), draftOf(now)];
  const names = new Set([...Object.keys(is.virtual_models), ...Object.keys(draft.virtual_models)]);
  const models: Record<string, VirtualModel> = {};
  for (const name of names) {
    const touched = !same(was.virtual_models[name], draft.virtual_models[name]);
    const kept = touched ? draft.virtual_models[name] : is.virtual_models[name];
    if (kept !== undefined) models[name] = kept;
  }
  return {
    default_model: was.default_model === draft.default_model ? is.default_model : draft.default_model,
    auto: same(was.auto, draft.auto) ? is.auto : draft.auto,
    virtual_models: models,
    routing: same(was.routing, draft.routing) ? is.routing : draft.routing,
  };
}

/** What a workspace wants of one channel. */
export function choiceOf(
  { channels }: Routing,
  model: string,
  channel: string,
): { prefer: boolean; byok_only: boolean } {
  const { prefer = false, byok_only = false } = channels?.[model]?.[channel] ?? {};
  return { prefer, byok_only };
}

/** The same routing with another choice for one channel; what says nothing is left out. */
export function withChoice(
  routing: Routing,
  model: string,
  channel: string,
  choice: { readonly prefer: boolean; readonly byok_only: boolean },
): Routing {
  const { channels: before = {}, ...rest } = routing;
  const { [channel]: _, ...others } = before[model] ?? {};
  const said = {
    ...(choice.prefer ? { prefer: true } : {}),
    ...(choice.byok_only ? { byok_only: true } : {}),
  };
  const ofModel = Object.keys(said).length === 0 ? others : { ...others, [channel]: said };
  const { [model]: __, ...otherModels } = before;
  const channels: ChannelChoices =
    Object.keys(ofModel).length === 0 ? otherModels : { ...otherModels, [model]: ofModel };
  return Object.keys(channels).length === 0 ? rest : { ...rest, channels };
}
