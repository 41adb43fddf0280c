/**
 * Where the gateway may go on behalf of a workspace or client, and what they may send others to (G-9): public addresses,
 * and what the operator allows beside them.
 */
import {
  type AddressBytes,
  type AddressKind,
  type AddressRange,
  embeddedV4,
  inRange,
  kindOf,
  parseAddress,
  parseRange,
} from './address.ts';

/** The operator's exceptions (`network.allow_private`), read once. */
export interface NetworkRules {
  readonly ranges: readonly AddressRange[];
  /** Lower case, without final dot. */
  readonly hosts: ReadonlySet<string>;
  /** One text per set of rules: connections made under one set are not used under another. */
  readonly id: string;
}

/** Entries are addresses, ranges (`10.1.0.0/16`) or host names; `exceptionFault` has passed each. */
export function networkRules(exceptions: readonly string[]): NetworkRules {
  const ranges: AddressRange[] = [];
  const hosts = new Set<string>();
  for (const entry of exceptions) {
    const range = parseRange(entry.replace(/^\[(.*)\]$/, '$1'));
    if (range === null) hosts.add(plainHost(entry.toLowerCase()));
    else ranges.push(range);
  }
  return { ranges, hosts, id: JSON.stringify([...exceptions].sort()) };
}

/** Nothing but public addresses. */
export const PUBLIC_ONLY: NetworkRules = networkRules([]);

/** Null when an entry of `network.allow_private` can be used; else what it must be. */
export function exceptionFault(entry: string): string | null {
  if (parseRange(entry.replace(/^\[(.*)\]$/, '$1')) !== null) return null;
  const name = /^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9])?)*\.?$/;
  // Digits and dots alone are meant as an address: as a name they would never match.
  if (name.test(entry) && !/^[\d.]+$/.test(entry)) return null;
  return 'must be an address, a range such as 10.1.0.0/16, or a host name without scheme, port or wildcard';
}

/** Why the address must not be reached; null = it may. */
export function refusedAddress(address: string, rules: NetworkRules): string | null {
  const bytes = parseAddress(address);
  if (bytes === null) return `${address} is no address`;
  const kind = kindOf(bytes);
  if (kind === null || allowed(bytes, rules) || allowed(embeddedV4(bytes) ?? bytes, rules)) return null;
  return `${address} is ${words(kind)}`;
}

function allowed(bytes: AddressBytes, { ranges }: NetworkRules): boolean {
  return ranges.some((range) => inRange(bytes, range));
}

/**
 * Why a host as it stands in a URL must not be reached; null = it may, as far as its text tells: a name's addresses are
 * judged once it is resolved.
 */
export function refusedHost(host: string, rules: NetworkRules): string | null {
  const name = plainHost(host);
  if (rules.hosts.has(name)) return null;
  const literal = name.replace(/^\[(.*)\]$/, '$1');
  if (parseAddress(literal) !== null) return refusedAddress(literal, rules);
  if (name === '') return 'it names no host';
  if (METADATA_NAMES.has(name)) return `${name} is a metadata service`;
  // Names without a dot are never public: they lead to whatever the resolver's own network calls so.
  if (!name.includes('.')) return `${name} is a name of a private network`;
  if (PRIVATE_ENDINGS.some((ending) => name.endsWith(ending))) return `${name} is a name of a private network`;
  return null;
}

/**
 * Why a URL must not be fetched, by its text alone; null = it may. The text is read as browsers read it, so that every
 * notation of a host is the same host; what readers disagree about is refused.
 */
export function refusedUrl(text: string, rules: NetworkRules): string | null {
  if (!URL.canParse(text)) return 'it is no valid URL';
  const url = new URL(text);
  if (INLINE_SCHEMES.has(url.protocol)) return null;
  if (url.protocol === 'file:') return refusedHost(url.hostname === '' ? 'localhost' : url.hostname, rules);
  if (!WEB_SCHEMES.has(url.protocol)) return refusedForeign(url, rules);
  return readsTwoWays(stripped(text).slice(url.protocol.length))
    ? 'it is written so that readers disagree about its host'
    : refusedHost(url.hostname, rules);
}

/** A backslash ends the host for some readers only; so does `?` or `#` in front of an `@`; of two `@` each may count. */
function readsTwoWays(behindScheme: string): boolean {
  const place = /^[/\\]*([^/]*)/.exec(behindScheme)?.[1] ?? '';
  const asWritten = place.search(/[?#]/);
  const backslash = place.indexOf('\\');
  if (backslash >= 0 && (asWritten < 0 || backslash < asWritten)) return true;
  const at = place.lastIndexOf('@');
  return at >= 0 && (place.indexOf('@') !== at || (asWritten >= 0 && asWritten < at));
}

/** Other schemes keep their host as it was written: read again as a web address it is normalised. */
function refusedForeign(url: URL, rules: NetworkRules): string | null {
  if (url.hostname === '') return null;
  const again = `http://${url.hostname}/`;
  if (!URL.canParse(again)) return null;
  const { hostname } = new URL(again);
  const literal = parseAddress(hostname.replace(/^\[(.*)\]$/, '$1')) !== null;
  // `gs://bucket`: no host at all, though it stands in its place.
  return literal || hostname.includes('.') || hostname === 'localhost' ? refusedHost(hostname, rules) : null;
}

const INLINE_SCHEMES: ReadonlySet<string> = new Set(['data:', 'blob:']);
const WEB_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:', 'ftp:']);
const METADATA_NAMES: ReadonlySet<string> = new Set(['metadata.goog', 'metadata.tencentyun.com', 'metadata']);
/** `.internal` covers metadata.google.internal and the names that clouds and container engines give. */
const PRIVATE_ENDINGS = ['.localhost', '.local', '.internal', '.localdomain', '.home.arpa', '.lan', '.intranet'];

/** Without what ends an absolute name. */
function plainHost(host: string): string {
  let end = host.length;
  while (end > 0 && host[end - 1] === '.') end -= 1;
  return host.slice(0, end);
}

/** As URL readers do first: tabs and line breaks anywhere, and blanks and control characters in front, are not there. */
function stripped(text: string): string {
  let start = 0;
  while (start < text.length && text.charCodeAt(start) <= 0x20) start += 1;
  return text.slice(start).replace(/[\t\n\r]/g, '');
}

function words(kind: AddressKind): string {
  switch (kind) {
    case 'metadata':
      return 'the address of a metadata service';
    case 'unspecified':
      return 'the unspecified address';
    default:
      return `a ${kind} address`;
  }
}
