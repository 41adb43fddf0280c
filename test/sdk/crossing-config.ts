/** The configuration in which every client meets every upstream: models by the wire format they are called in. */
import { ADMIN_TOKEN, CLIENT_KEY } from './gateway-config.ts';

/** Wire formats of upstreams, as a channel's `api` spells them. */
export const APIS = ['chat', 'responses', 'messages', 'gemini', 'converse'] as const;
export type Api = (typeof APIS)[number];

/** What a model does → what its only channel is upstream. */
const BEHAVIOURS = {
  echo: 'echo',
  plain: 'ok',
  tools: 'tools',
  /** Insists on what only the newest models insist on. */
  strict: 'strict-tools',
  thinks: 'reasoning',
  sealed: 'sealed',
  calls: 'tools',
  refused: 'fail-400',
  down: 'fail-503',
  cut: 'cut-3',
  broken: 'error-3',
} as const;
export type Behaviour = keyof typeof BEHAVIOURS;

/** How a first channel fails before it has said anything. */
const FAILS = { status: 'fail-503', error: 'error-0', nothing: 'cut-1', page: 'html' } as const;
export type Fails = keyof typeof FAILS;
export const FAILURES = Object.keys(FAILS) as readonly Fails[];

export function modelOf(api: Api, behaviour: Behaviour): string {
  return `${api}/${behaviour}`;
}

/** A model whose first channel fails in one wire format and whose second one answers in another. */
export function rescuedModel(from: Api, to: Api, fails: Fails): string {
  return `${from}/${fails}-then-${to}`;
}

/** Circuits stay closed: a failing channel must be tried every time. */
export function crossingConfig(simulatorUrl: string): string {
  const models: Record<string, object> = {};
  const channel = (api: Api, model: string) => ({
    id: `${api}-${model.replaceAll(':', '-')}`,
    provider: 'upstream',
    model,
    api,
  });
  for (const api of APIS) {
    for (const [name, model] of Object.entries(BEHAVIOURS)) {
      models[`${api}/${name}`] = { channels: [channel(api, `${model}:${api}`)] };
    }
    for (const to of APIS) {
      for (const [name, model] of Object.entries(FAILS)) {
        const channels = [channel(api, `${model}:${api}-${to}`), channel(to, `echo:${api}-${to}`)];
        models[rescuedModel(api, to, name as Fails)] = { channels };
      }
    }
  }
  return JSON.stringify({
    version: 1,
    admin: { token: ADMIN_TOKEN },
    providers: { upstream: { type: 'sim', base_url: `${simulatorUrl}/v1` } },
    credentials: { any: { provider: 'upstream', secret: 'upstream-key-0123456789' } },
    models,
    workspaces: { main: {} },
    keys: [{ name: 'sdk', workspace: 'main', secret: CLIENT_KEY }],
    health: { circuit: { min_calls: 1_000_000, consecutive: 1_000_000 } },
  });
}
