/** The gateway's configuration in the benchmark: authentication, plans of three channels, health, log and metrics on. */

export const BENCH_KEY = 'usk-bench-client-key-0123456789abcdef';
export const BENCH_ADMIN_TOKEN = 'bench-admin-token-0123456789abcdef';

/** How streams are played in the measurements; non-stream requests ignore it. */
export const PACES = {
  /** Everyday streaming: 120 tokens, one each 10 ms. */
  paced: { events: 120, everyMs: 10 },
  /** All at once and short, so that only the way to the first token counts. */
  short: { events: 8, everyMs: 0 },
  /** Long-lived: many open streams that each say a little now and then. */
  slow: { events: 30, everyMs: 300 },
} as const;
export type Pace = keyof typeof PACES;

const secret = (name: string) => `sk-bench-${name}-0123456789abcdef`;

/** One model per pace, each with three channels to the same upstream: a plan has something to order. */
export function gatewayConfig(upstreamUrl: string): string {
  const providers: Record<string, object> = {};
  const credentials: Record<string, object> = {};
  const models: Record<string, object> = {};
  for (const [pace, { events, everyMs }] of Object.entries(PACES)) {
    const channels = ['a', 'b', 'c'].map((id) => {
      const provider = `${pace}-${id}`;
      providers[provider] = { type: 'openai-compatible', base_url: `${upstreamUrl}/stream/${events}/${everyMs}/v1` };
      credentials[provider] = { provider, secret: secret(provider) };
      return { id, provider, model: 'static' };
    });
    models[`bench/${pace}`] = { price: { input: 0.05, output: 0.4 }, channels };
  }
  const { events, everyMs } = PACES.paced;
  providers['crossed'] = { type: 'sim', base_url: `${upstreamUrl}/stream/${events}/${everyMs}` };
  credentials['crossed'] = { provider: 'crossed', secret: secret('crossed') };
  models[CROSSED] = { channels: [{ id: 'only', provider: 'crossed', model: 'static', api: 'messages' }] };
  return JSON.stringify({ ...shell(), providers, credentials, models });
}

/** The paced streams of an upstream that speaks another dialect than its callers. */
export const CROSSED = 'bench/crossed';

/** A chain of one model per upstream, in their order: `chain/0`, `chain/1`, … */
export function chainConfig(upstreamUrls: readonly string[]): string {
  const providers: Record<string, object> = {};
  const credentials: Record<string, object> = {};
  const models: Record<string, object> = {};
  for (const [index, url] of upstreamUrls.entries()) {
    const provider = `upstream-${index}`;
    providers[provider] = { type: 'openai-compatible', base_url: `${url}/v1` };
    credentials[provider] = { provider, secret: secret(provider) };
    models[`chain/${index}`] = { channels: [{ id: 'only', provider, model: 'static' }] };
  }
  return JSON.stringify({ ...shell(), providers, credentials, models });
}

function shell(): object {
  return {
    version: 1,
    admin: { token: BENCH_ADMIN_TOKEN },
    workspaces: { bench: { enabled_models: ['*'] } },
    keys: [{ name: 'bench', workspace: 'bench', secret: BENCH_KEY, models: ['*'] }],
  };
}
