/** The configuration that client libraries meet at the endpoints beside the conversation: models whose channels fail in their own ways. */
import { ADMIN_TOKEN, CLIENT_KEY } from './gateway-config.ts';

/** Public model → what its channels are upstream, in the order to try. */
const MODELS = {
  'steady/one': ['ok:steady'],
  'rescued/one': ['fail-503:one', 'error:one', 'ok:one'],
  'down/all': ['fail-503:first', 'fail-500:second'],
  'nothing/made': ['empty:first', 'ok:second'],
  'refused/made': ['filter:first', 'ok:second'],
  'cut/sound': ['cut-3:first'],
} as const;

/** Configuration text for a gateway before one simulator. */
export function plainConfig(simulatorUrl: string): string {
  const providers: Record<string, object> = {};
  const models: Record<string, object> = {};
  for (const [model, upstreamModels] of Object.entries(MODELS)) {
    const channels = upstreamModels.map((upstreamModel, at) => {
      const provider = `${model.replace('/', '-')}-${at}`;
      providers[provider] = { type: 'openai-compatible', base_url: `${simulatorUrl}/v1` };
      return { id: `c${at}`, provider, model: upstreamModel };
    });
    models[model] = { channels };
  }
  for (const name of ['one', 'two']) providers[`kept-${name}`] = { type: 'openai', base_url: `${simulatorUrl}/v1` };
  models['kept/answers'] = {
    channels: [
      { id: 'one', provider: 'kept-one', model: 'fail-503:kept' },
      { id: 'two', provider: 'kept-two', model: 'ok:kept' },
    ],
  };
  const credentials = Object.fromEntries(
    Object.keys(providers).map((name) => [name, { provider: name, secret: `secret-of-${name}-0123456789` }]),
  );
  return JSON.stringify({
    version: 1,
    admin: { token: ADMIN_TOKEN },
    providers,
    credentials,
    models,
    workspaces: { main: { default_model: 'steady/one' }, other: {} },
    keys: [
      { name: 'sdk', workspace: 'main', secret: CLIENT_KEY },
      { name: 'stranger', workspace: 'other', secret: STRANGER_KEY },
    ],
    health: { circuit: { min_calls: 1_000_000, consecutive: 1_000_000 } },
  });
}

/** Of another workspace. */
export const STRANGER_KEY = 'usk-stranger-client-key-0123456789abcdef';
