/** The configuration that every client library meets: models whose first channels fail, and models that can't be saved. */

export const CLIENT_KEY = 'usk-sdk-client-key-0123456789abcdef';
export const ADMIN_TOKEN = 'sdk-admin-token-0123456789abcdef';

/** Public model → what its channels are upstream, in the order to try (names the simulator knows). */
const MODELS = {
  'steady/text': ['ok:steady'],
  'steady/tools': ['tools:steady'],
  'rescued/text': ['fail-503:text', 'fail-500:text', 'ok:text'],
  'rescued/tools': ['fail-503:tools', 'fail-500:tools', 'tools:rescued'],
  'down/all': ['fail-503:first', 'fail-500:second', 'fail-503:third'],
  'cut/after-content': ['cut-3:only'],
} as const;
export type SdkModel = keyof typeof MODELS;

/** Upstream calls that one request for a model causes when nobody repeats it. */
export function channelsOf(model: SdkModel): number {
  return MODELS[model].length;
}

/** A chain of three models, for clients that can send `models`. The first two always fail. */
export const CHAIN = ['alone/fail-503', 'alone/fail-500', 'alone/ok'] as const;

/**
 * Configuration text for a gateway before one simulator. Circuits stay closed: the failing channels must be tried every
 * time, so that the number of calls says who repeated what.
 */
export function sdkConfig(simulatorUrl: string): string {
  const providers: Record<string, object> = {};
  const models: Record<string, object> = { 'alone/*': {} };
  for (const [model, upstreamModels] of Object.entries(MODELS)) {
    const channels = upstreamModels.map((upstreamModel, index) => {
      const provider = `${model.replace('/', '-')}-${index}`;
      providers[provider] = { type: 'openai-compatible', base_url: `${simulatorUrl}/v1` };
      return { id: `c${index}`, provider, model: upstreamModel };
    });
    models[model] = { channels };
  }
  providers['alone'] = { type: 'openai-compatible', base_url: `${simulatorUrl}/v1` };
  return JSON.stringify({
    version: 1,
    admin: { token: ADMIN_TOKEN },
    providers,
    models,
    workspaces: { main: {} },
    keys: [{ name: 'sdk', workspace: 'main', secret: CLIENT_KEY }],
    health: { circuit: { min_calls: 1_000_000, consecutive: 1_000_000 } },
  });
}
