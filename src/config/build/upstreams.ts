/** Providers and credentials of a snapshot. */

import { baseUrlOf } from '../../providers/addresses.ts';
import { projectIn, secretPartsOf } from '../../providers/auth.ts';
import { listAt } from '../../providers/catalogue/addresses.ts';
import { ORGANIZATION_HEADER } from '../../providers/headers.ts';
import { presets } from '../../providers/presets.ts';
import type { Config, ProviderConfig } from '../schema/config-schema.ts';
import { NO_CATALOGUE } from '../schema/upstreams.ts';
import { type CredentialEntry, type ProviderEntry, Secret } from '../snapshot.ts';
import { limitsOf } from './limits.ts';
import { operationSecrets } from './operations.ts';
import { ownerOf, type StoredParts } from './stored-parts.ts';

/** Stands in a provider's `baseUrl` for the simulator that the assembly starts in the process. */
export const SIM_PLACEHOLDER = 'sim:';

function headersOf(config: ProviderConfig): Record<string, string> {
  const headers = Object.entries(config.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const own = config.organization === undefined ? [] : [[ORGANIZATION_HEADER, config.organization] as const];
  return Object.fromEntries([...own, ...headers]);
}

/** As set, else as the key file of the first account says. */
function projectOf(name: string, { project }: ProviderConfig, credentials: Config['credentials']): string | null {
  if (project !== undefined) return project;
  const own = Object.values(credentials).filter(({ provider }) => provider === name);
  return own.map(({ secret }) => projectIn(secret)).find((found) => found !== null) ?? null;
}

function providerEntry(name: string, config: ProviderConfig, simUrl: string, project: string | null): ProviderEntry {
  const preset = presets.get(config.type);
  if (preset === undefined) throw new Error(`no preset ${config.type}: the schema lets only presets through`);
  const place = {
    type: config.type,
    addressing: preset.addressing,
    apiVersion: config.api_version ?? null,
    region: config.region ?? null,
    project,
    location: config.location ?? null,
  };
  const baseUrl = (config.base_url ?? preset.baseUrl ?? baseUrlOf(place) ?? simUrl).replace(/\/+$/, '');
  return {
    ...place,
    name,
    dialects: preset.dialects,
    operations: preset.operations,
    baseUrl,
    vocabulary: preset.vocabulary,
    auth: preset.auth,
    forwardHeaders: preset.forwardHeaders,
    headers: headersOf(config),
    connectTimeoutMs: config.connect_timeout_ms,
    proxy: config.proxy === undefined ? null : new Secret(config.proxy),
    catalogue: catalogueOf(config, baseUrl),
  };
}

/** Null = no list of the catalogue speaks of it. */
function catalogueOf({ catalogue }: ProviderConfig, baseUrl: string): string | null {
  if (catalogue === undefined) return listAt(baseUrl);
  return catalogue === NO_CATALOGUE ? null : catalogue;
}

export function buildProviders(config: Config, simUrl: string): ReadonlyMap<string, ProviderEntry> {
  return new Map(
    Object.entries(config.providers).map(
      ([name, entry]) =>
        [name, providerEntry(name, entry, simUrl, projectOf(name, entry, config.credentials))] as const,
    ),
  );
}

export function buildCredentials(config: Config, stored: StoredParts): CredentialEntry[] {
  return Object.entries(config.credentials).map(([name, entry], ix) => ({
    ix,
    name,
    provider: entry.provider,
    secret: new Secret(entry.secret),
    kind: entry.kind,
    workspace: entry.workspace ?? null,
    order: entry.order,
    limits: limitsOf(entry.limits),
    baseUrl: entry.base_url?.replace(/\/+$/, '') ?? null,
    managedBy: ownerOf(stored.credentials, name),
  }));
}

/** P-1: BYOK first, then platform, each by `order`, then by place in the file. */
export function credentialsOf(provider: string, credentials: readonly CredentialEntry[]): number[] {
  const rank = (entry: CredentialEntry): number => (entry.kind === 'byok' ? 0 : 1);
  return credentials
    .filter((entry) => entry.provider === provider)
    .sort((a, b) => rank(a) - rank(b) || a.order - b.order || a.ix - b.ix)
    .map((entry) => entry.ix);
}

/** Headers that carry a secret by their name. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;
/** Masking shorter texts would eat ordinary words. */
const MIN_MASKED = 6;

/** Every secret that is kept as it is, for the masker (E-5). Client keys and the admin token are kept as hashes only. */
export function secretsOf(config: Config, credentials: readonly CredentialEntry[]): Secret[] {
  const secrets = credentials.flatMap(({ secret }) => {
    const parts = secretPartsOf(secret.reveal());
    return parts.length === 1 && parts[0] === secret.reveal() ? [secret] : parts.map((part) => new Secret(part));
  });
  const add = (text: string | undefined): void => {
    if (text !== undefined && text.length >= MIN_MASKED) secrets.push(new Secret(text));
  };
  for (const provider of Object.values(config.providers)) {
    for (const [name, value] of Object.entries(provider.headers)) {
      if (!SECRET_HEADER.test(name)) continue;
      const token = /^\S+ (\S+)$/.exec(value);
      add(token?.[1] ?? value);
    }
    if (provider.proxy !== undefined) add(decodeURIComponent(new URL(provider.proxy).password));
  }
  add(config.server.metrics_token);
  for (const text of operationSecrets(config)) add(text);
  return secrets;
}
