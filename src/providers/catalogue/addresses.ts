/**
 * Whose figures hold at an address. A provider's type only says how it is spoken to: behind an address of somebody else's
 * there may be any model at any price, so that the catalogue says nothing of it.
 */
import { presets } from '../presets.ts';
import { listNames } from './shipped-lists.ts';

/** Hosts of a provider beside its preset's, with the same prices. */
const MORE_HOSTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:eu|us)\.api\.openai\.com$/, 'openai'],
  [/\.openai\.azure\.com$/, 'azure-openai'],
  [/\.(?:services\.ai|cognitiveservices)\.azure\.com$/, 'azure-openai'],
  [/^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com$/, 'bedrock'],
  [/^(?:[a-z0-9-]+-)?aiplatform(?:\.[a-z]+\.rep)?\.googleapis\.com$/, 'vertex'],
];

const byHost: ReadonlyMap<string, string> = new Map(
  [...presets.values()].flatMap(({ type, baseUrl }) =>
    baseUrl === null || !listNames.includes(type) ? [] : [[new URL(baseUrl).host, type] as const],
  ),
);

/** The name of the list for a base URL; null = none. */
export function listAt(baseUrl: string): string | null {
  if (!URL.canParse(baseUrl)) return null;
  const { host, protocol } = new URL(baseUrl);
  if (protocol !== 'https:') return null;
  return byHost.get(host) ?? MORE_HOSTS.find(([pattern]) => pattern.test(host))?.[1] ?? null;
}
