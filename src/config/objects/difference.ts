/** What changes from one configuration to another, by object and setting. Secrets are only said to change. */
import type { Config } from '../schema/config-schema.ts';

export interface FieldChange {
  /** From the object on, `channels.eu.weight`; empty for a setting, which is its own field. */
  readonly path: string;
  /** As validated: defaults filled in, sizes in bytes, durations in ms. Absent = not set, or secret. */
  readonly from?: unknown;
  readonly to?: unknown;
  /** Its values are not told. */
  readonly secret?: true;
}

export interface Difference {
  readonly change: 'added' | 'changed' | 'removed';
  readonly kind: 'provider' | 'credential' | 'model' | 'alias' | 'workspace' | 'key' | 'member' | 'webhook' | 'setting';
  readonly name: string;
  /** What changes in it; empty for what is added or removed as a whole. */
  readonly fields: readonly FieldChange[];
}

type Fields = ReadonlyMap<string, unknown>;

type Section = (config: Config) => readonly (readonly [string, unknown])[];

const OBJECTS: readonly (readonly [Difference['kind'], Section])[] = [
  ['provider', (config) => Object.entries(config.providers)],
  ['credential', (config) => Object.entries(config.credentials)],
  ['model', (config) => Object.entries(config.models)],
  ['alias', (config) => Object.entries(config.aliases)],
  ['workspace', (config) => Object.entries(config.workspaces)],
  ['key', (config) => config.keys.map((key) => [key.name, key])],
  ['member', (config) => Object.entries(config.members)],
  ['webhook', (config) => Object.entries(config.webhooks)],
];

/** In the order of the file's sections, names in alphabetical order, settings last. */
export function differences(before: Config, after: Config): Difference[] {
  return [
    ...OBJECTS.flatMap(([kind, of]) => ofKind(kind, new Map(of(before)), new Map(of(after)))),
    ...settings(before, after),
  ];
}

function ofKind(
  kind: Difference['kind'],
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): Difference[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name): Difference[] => {
    if (!before.has(name)) return [{ change: 'added', kind, name, fields: [] }];
    if (!after.has(name)) return [{ change: 'removed', kind, name, fields: [] }];
    const fields = fieldChanges(kind, leaves(before.get(name)), leaves(after.get(name)));
    return fields.length === 0 ? [] : [{ change: 'changed', kind, name, fields }];
  });
}

function settings(before: Config, after: Config): Difference[] {
  const changes = fieldChanges('setting', leaves(withoutObjects(before)), leaves(withoutObjects(after)));
  return changes.map(({ path, ...values }): Difference => {
    const change =
      'secret' in values ? 'changed' : 'from' in values ? ('to' in values ? 'changed' : 'removed') : 'added';
    return { change, kind: 'setting', name: path, fields: [{ path: '', ...values }] };
  });
}

function withoutObjects(config: Config): object {
  const {
    providers: _p,
    credentials: _c,
    models: _m,
    aliases: _a,
    workspaces: _w,
    keys: _k,
    members: _t,
    webhooks: _h,
    ...rest
  } = config;
  return rest;
}

/** Where secrets stand. A proxy's address and headers may hold one. */
const SECRET_PLACES: readonly RegExp[] = [
  /^(credential|key) secret$/,
  /^member token$/,
  /^webhook (secret|previous_secret)$/,
  /^provider (proxy|headers\..*)$/,
  /^setting (admin\.token|server\.metrics_token|store|shared)$/,
];

function fieldChanges(kind: Difference['kind'], before: Fields, after: Fields): FieldChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): FieldChange[] => {
    const [from, to] = [before.get(path), after.get(path)];
    if (JSON.stringify(from) === JSON.stringify(to)) return [];
    if (SECRET_PLACES.some((place) => place.test(`${kind} ${path}`))) return [{ path, secret: true }];
    return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
  });
}

/** Every value by its path. Lists are values, but for channels, which have names. */
function leaves(value: unknown): Fields {
  const found = new Map<string, unknown>();
  walk(value, '', found);
  return found;
}

function walk(value: unknown, path: string, found: Map<string, unknown>): void {
  const below = (step: string, inner: unknown) => walk(inner, path === '' ? step : `${path}.${step}`, found);
  if (path === 'channels' && Array.isArray(value)) {
    const channels = value as readonly { readonly id?: string; readonly provider: string }[];
    // Their order decides among equals.
    found.set(path, channels.map(channelName));
    for (const channel of channels) below(channelName(channel), channel);
  } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [step, inner] of Object.entries(value)) below(step, inner);
  } else if (value !== undefined) found.set(path, value);
}

function channelName(channel: { readonly id?: string; readonly provider: string }): string {
  return channel.id ?? channel.provider;
}
