/** Without a file: providers from the well-known environment variables, and the simulator when there is none. */
import { presets } from '../providers/presets.ts';
import type { Environment } from './load.ts';

/** File name that stands in messages for the configuration nobody wrote. */
export const DEFAULTS_NAME = '(environment)';

/** The simulator's ready-made models worth trying first: named one by one, so that `GET /v1/models` lists them. */
export const SIM_MODELS: readonly string[] = [
  'sim/ok',
  'sim/fail-503',
  'sim/fail-429',
  'sim/slow-2000',
  'sim/cut-3',
  'sim/hang',
  'sim/reset',
  'sim/garbage',
];

/** Variables that name a provider and are set, with the provider's type. */
export function providersInEnvironment(env: Environment): { type: string; variable: string }[] {
  const found: { type: string; variable: string }[] = [];
  for (const preset of presets.values()) {
    const variable = preset.envKey;
    if (variable === null || (env[variable] ?? '').trim() === '' || preset.baseUrl === null) continue;
    found.push({ type: preset.type, variable });
  }
  return found;
}

/** The configuration as YAML text. Secrets stay references: they are filled in when it is loaded, never written. */
export function environmentConfig(env: Environment): string {
  const found = providersInEnvironment(env);
  const types = found.length === 0 ? ['sim'] : found.map((provider) => provider.type);
  const entries = <T>(make: (name: string) => T): Record<string, T> =>
    Object.fromEntries(types.map((type) => [type, make(type)] as const));
  return JSON.stringify(
    {
      version: 1,
      admin: (env['UNDERSTUDY_ADMIN_TOKEN'] ?? '') === '' ? {} : { token: reference('UNDERSTUDY_ADMIN_TOKEN') },
      providers: entries((type) => ({ type })),
      credentials: Object.fromEntries(
        found.map(({ type, variable }) => [`${type}-env`, { provider: type, secret: reference(variable) }] as const),
      ),
      models: Object.fromEntries(
        [...types.map((type) => `${type}/*`), ...(found.length === 0 ? SIM_MODELS : [])].map((id) => [id, {}] as const),
      ),
    },
    null,
    2,
  );
}

function reference(variable: string): string {
  return `\${${variable}}`;
}
