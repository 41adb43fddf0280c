/** Providers, models and channels: what a schema can not see. */
import { projectIn } from '../../providers/auth.ts';
import { presets } from '../../providers/presets.ts';
import type { ProviderPreset } from '../../providers/types.ts';
import { API_NAMES, apiOfDialect, dialectOfApi } from '../apis.ts';
import type { Path } from '../problem.ts';
import { isHeaderName } from '../schema/upstreams.ts';
import { listAt, mappingAt, type Review, report, reportUnknown, textAt } from './loose.ts';
import { impliedProvider, wildcardProvider } from './model-ids.ts';

/** Headers the transport and the adapters set themselves. */
const RESERVED_HEADERS = new Set([
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'accept-encoding',
]);

export const providerNames = (review: Review): string[] => Object.keys(mappingAt(review, 'providers'));
export const isProvider = (review: Review) => (name: string) => Object.hasOwn(mappingAt(review, 'providers'), name);

function checkHeaders(review: Review, name: string): void {
  const seen = new Map<string, string>();
  for (const header of Object.keys(mappingAt(review, 'providers', name, 'headers'))) {
    const path = ['providers', name, 'headers', header];
    const lower = header.toLowerCase();
    const twin = seen.get(lower);
    if (!isHeaderName(header)) report(review, 'invalid_value', path, 'is no valid header name', 'key');
    else if (RESERVED_HEADERS.has(lower)) report(review, 'invalid_value', path, 'is set by the gateway itself', 'key');
    else if (twin !== undefined) report(review, 'duplicate', path, `is the same header as \`${twin}\``, 'key');
    seen.set(lower, header);
  }
}

/** Null when the address can be used; else what is wrong with it. Never repeats the address: it may hold a password. */
export function addressFault(address: string, withPath: boolean): string | null {
  if (!URL.canParse(address)) return 'is no valid address';
  const url = new URL(address);
  if (withPath && (url.username !== '' || url.password !== '')) {
    return 'must not contain a user or password; put the secret under `credentials`';
  }
  if (withPath && (url.search !== '' || url.hash !== '')) return 'must not contain `?` or `#`';
  return null;
}

/** What a type's address is made of has to be there. An address that is given needs no region to be made of. */
function checkRequired(review: Review, name: string, { type, requires }: ProviderPreset): void {
  const path = ['providers', name];
  const given = mappingAt(review, ...path);
  for (const key of requires) {
    if (Object.hasOwn(given, key) || (key === 'region' && Object.hasOwn(given, 'base_url'))) continue;
    if (key === 'project' && accountsSayProject(review, name)) continue;
    const why = key === 'base_url' ? 'has no address of its own' : `has its ${key} in its address`;
    report(review, 'missing_key', [...path, key], `is required: type ${type} ${why}`, 'key');
  }
}

function accountsSayProject(review: Review, provider: string): boolean {
  return Object.keys(mappingAt(review, 'credentials')).some((name) => {
    const [of, secret] = ['provider', 'secret'].map((key) => textAt(review, 'credentials', name, key));
    return of === provider && secret != null && projectIn(secret) !== null;
  });
}

export function checkProviders(review: Review): void {
  for (const name of providerNames(review)) {
    const path = ['providers', name];
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
      report(review, 'invalid_value', path, 'the name must be of letters, digits, dot, dash and underscore', 'key');
    }
    const preset = presets.get(textAt(review, ...path, 'type') ?? '');
    if (preset !== undefined) checkRequired(review, name, preset);
    const baseUrl = textAt(review, ...path, 'base_url');
    for (const [field, withPath] of [
      ['base_url', true],
      ['proxy', false],
    ] as const) {
      const address = field === 'base_url' ? baseUrl : textAt(review, ...path, field);
      const fault = address !== null && /^https?:\/\/\S+$/.test(address) ? addressFault(address, withPath) : null;
      if (fault !== null) report(review, 'invalid_value', [...path, field], fault);
    }
    checkHeaders(review, name);
  }
}

/** The wire format a channel is called in has to be one of its provider's. */
function checkApi(review: Review, path: Path, provider: string): void {
  const api = API_NAMES.find((name) => name === textAt(review, ...path, 'api'));
  const preset = presets.get(textAt(review, 'providers', provider, 'type') ?? '');
  if (api === undefined || preset === undefined) return;
  const spoken = [...preset.dialects, ...preset.optionalDialects];
  if (spoken.includes(dialectOfApi(api))) return;
  const known = spoken.map((dialect) => `\`${apiOfDialect(dialect)}\``).join(', ');
  report(review, 'invalid_value', [...path, 'api'], `type ${preset.type} does not speak it; it speaks ${known}`);
}

function checkChannels(review: Review, id: string): void {
  const seen = new Map<string, number>();
  listAt(review, 'models', id, 'channels').forEach((_, index) => {
    const path = ['models', id, 'channels', index];
    const provider = textAt(review, ...path, 'provider');
    if (provider !== null && provider !== '' && !isProvider(review)(provider)) {
      reportUnknown(review, [...path, 'provider'], 'provider', provider, providerNames(review));
    }
    if (provider !== null) checkApi(review, path, provider);
    const channel = textAt(review, ...path, 'id') ?? provider;
    if (channel === null) return;
    const first = seen.get(channel);
    if (first === undefined) seen.set(channel, index);
    else
      report(
        review,
        'duplicate',
        path,
        `channel id \`${channel}\` is used by channels[${first}] too; give each its own \`id\``,
      );
  });
}

export function checkModels(review: Review): void {
  for (const id of Object.keys(mappingAt(review, 'models'))) {
    const path = ['models', id];
    const hasChannels = Object.hasOwn(mappingAt(review, ...path), 'channels');
    if (id === '' || /[\s,]/.test(id) || id.length > 256) {
      report(review, 'invalid_value', path, 'a model id has 1 to 256 characters, no spaces and no commas', 'key');
    } else if (id.includes('*')) {
      const provider = wildcardProvider(id);
      if (provider === null) report(review, 'invalid_value', path, 'the only wildcard is `PROVIDER/*`', 'key');
      else if (!isProvider(review)(provider)) reportUnknown(review, path, 'provider', provider, providerNames(review));
      if (hasChannels)
        report(
          review,
          'invalid_value',
          [...path, 'channels'],
          'a wildcard takes its implied channel; list the models to give them channels',
          'key',
        );
    } else if (!hasChannels && impliedProvider(id, isProvider(review)) === null) {
      const message = `is required, unless the name is PROVIDER/NAME of a known provider (${providerNames(review).join(', ') || 'none is configured'})`;
      report(review, 'missing_key', [...path, 'channels'], message, 'key');
    }
    checkChannels(review, id);
  }
}
