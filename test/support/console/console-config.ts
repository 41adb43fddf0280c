/** The configuration behind the console's tests: a small company with two providers, both simulated. */

export const ADMIN_TOKEN = 'console-admin-token-0123456789';

/**
 * `nova-large` is well on both channels, `nova-flash` is down on its first, `orca-large` down altogether, `orca-mini` rate limited,
 * `tern-slow` slow, `tern-cut` breaks its streams off.
 */
export function consoleConfig(): Record<string, unknown> {
  const channel = (provider: string, model: string, more: object = {}): object => ({
    id: provider,
    provider,
    model,
    ...more,
  });
  return {
    version: 1,
    admin: { token: ADMIN_TOKEN },
    providers: { north: { type: 'sim' }, south: { type: 'sim' }, sim: { type: 'sim' } },
    credentials: {
      'north-main': { provider: 'north', secret: 'north-secret-1', order: 1 },
      'north-spare': { provider: 'north', secret: 'north-secret-2', order: 2 },
      'south-main': { provider: 'south', secret: 'south-secret-1' },
    },
    models: {
      'nova-large': {
        price: { input: 2.5, output: 10 },
        context_window: 200_000,
        channels: [channel('north', 'ok:nova'), channel('south', 'ok:nova-south', { priority: 2 })],
      },
      'nova-flash': {
        price: { input: 0.15, output: 0.6 },
        context_window: 128_000,
        channels: [channel('north', 'fail-503:flash'), channel('south', 'ok:flash', { priority: 2 })],
      },
      'orca-large': { price: { input: 3, output: 15 }, channels: [channel('south', 'fail-503:orca')] },
      'orca-mini': { price: { input: 0.8, output: 4 }, channels: [channel('south', 'fail-429-30:orca')] },
      'tern-slow': { price: { input: 1, output: 2 }, channels: [channel('north', 'slow-300')] },
      'tern-cut': { price: { input: 1, output: 2 }, channels: [channel('north', 'cut-3')] },
      'sim/*': {},
    },
    aliases: { large: 'nova-large' },
    workspaces: {
      research: {},
    },
    policies: { standard: { overloaded: ['retry', 'next_channel', 'next_model'] } },
    network: { allow_private: ['127.0.0.0/8'] },
  };
}
