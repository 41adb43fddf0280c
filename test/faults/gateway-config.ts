/** The configuration of one test gateway: routes (models), each with its own providers, credentials and channels. */
import type { Step } from '../../sim/index.ts';

/** A channel: the upstream it leads to and what is said of it. A bare name is `{ up: NAME }`. */
export interface ChannelSpec {
  readonly up: string;
  /** Secrets of the channel's provider, in order. Default one. */
  readonly keys?: readonly string[];
  /** Model name at the upstream. Default: the route's name. */
  readonly model?: string;
  readonly context_window?: number;
  readonly capabilities?: Readonly<Record<string, readonly string[]>>;
  /** Other fields of the channel, as the file names them. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export interface RouteSpec {
  /** In the order to try. Default: the names in `up`. */
  readonly channels?: readonly (string | ChannelSpec)[];
  /** Steps per upstream, for the route's name as upstream model. */
  readonly up: Readonly<Record<string, readonly Step[]>>;
  /** Routes with the same group share providers and credentials; others share nothing, so no health reaches them. */
  readonly group?: string;
  readonly capabilities?: Readonly<Record<string, readonly string[]>>;
}

/** Everything but the routes; merged over what follows from them. */
export interface GatewaySettings {
  readonly redundancy?: Readonly<Record<string, unknown>>;
  readonly backoff?: Readonly<Record<string, number>>;
  readonly health?: Readonly<Record<string, unknown>>;
  readonly streaming?: Readonly<Record<string, unknown>>;
  readonly server?: Readonly<Record<string, unknown>>;
  readonly aliases?: Readonly<Record<string, string>>;
  /** More client keys. */
  readonly keys?: readonly Readonly<Record<string, unknown>>[];
}

export const CLIENT_KEY = 'test-client-key-0123456789';
export const ADMIN_TOKEN = 'test-admin-token-0123456789';

/**
 * The cases' default: 1 attempt per target. Where a case is not about time its limits are wide, so that a busy machine
 * makes no failures of its own; the others name theirs.
 */
const REDUNDANCY = { retries: 0, timeout_ms: 20_000, first_token_timeout_ms: 10_000, idle_timeout_ms: 5000 };
/** Real clocks: backoff only has to be there, not to be long. */
const BACKOFF = { base_ms: 10, cap_ms: 40 };

interface Parts {
  readonly providers: Record<string, unknown>;
  readonly credentials: Record<string, unknown>;
  readonly models: Record<string, unknown>;
}

/** The configuration's text. `baseUrls`: simulator name → address. */
export function configText(
  routes: Readonly<Record<string, RouteSpec>>,
  baseUrls: Readonly<Record<string, string>>,
  settings: GatewaySettings,
): string {
  const parts: Parts = { providers: {}, credentials: {}, models: {} };
  for (const [name, route] of Object.entries(routes)) addRoute(parts, name, route, baseUrls);
  return JSON.stringify({
    version: 1,
    server: { host: '127.0.0.1', port: 0, ...settings.server },
    admin: { token: ADMIN_TOKEN },
    ...parts,
    aliases: settings.aliases ?? {},
    workspaces: { main: {} },
    keys: [{ name: 'test', workspace: 'main', secret: CLIENT_KEY }, ...(settings.keys ?? [])],
    defaults: { redundancy: { ...REDUNDANCY, ...settings.redundancy } },
    backoff: { ...BACKOFF, ...settings.backoff },
    health: settings.health ?? {},
    streaming: settings.streaming ?? {},
  });
}

/** The secret of a route's upstream when its channel names none. */
export function secretOf(group: string, up: string): string {
  return `sk-${group}-${up}`.toLowerCase();
}

function addRoute(parts: Parts, name: string, route: RouteSpec, baseUrls: Readonly<Record<string, string>>): void {
  const group = (route.group ?? name).replaceAll(/[^A-Za-z0-9._-]/g, '-');
  const specs = (route.channels ?? Object.keys(route.up)).map((one) => (typeof one === 'string' ? { up: one } : one));
  const channels = specs.map((spec: ChannelSpec, i) => {
    const provider = `p-${group}-${spec.up}`.toLowerCase();
    parts.providers[provider] ??= { type: 'openai-compatible', base_url: `${baseUrls[spec.up]}/v1` };
    (spec.keys ?? [secretOf(group, spec.up)]).forEach((secret, order) => {
      parts.credentials[`c-${group}-${spec.up}-${order}`.toLowerCase()] ??= { provider, secret, order };
    });
    const window = spec.context_window === undefined ? {} : { context_window: spec.context_window };
    const can = spec.capabilities === undefined ? {} : { capabilities: spec.capabilities };
    return { id: `${spec.up.toLowerCase()}${i}`, provider, model: spec.model ?? name, ...window, ...can, ...spec.more };
  });
  const capabilities = route.capabilities === undefined ? {} : { capabilities: route.capabilities };
  parts.models[name] = { channels, ...capabilities };
}
