/** Which addresses lie on the open internet (G-9). Reads IPv4 and IPv6 by itself; resolves nothing. */

/** Why an address is not to be reached on somebody's behalf. */
export type AddressKind =
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'metadata'
  | 'shared'
  | 'multicast'
  | 'documentation'
  | 'reserved';

/** 4 or 16 bytes. */
export type AddressBytes = readonly number[];

/** A range of addresses: the first `bits` bits of `bytes`. */
export interface AddressRange {
  readonly bytes: AddressBytes;
  readonly bits: number;
}

/** Null = not an address. Dotted decimal and RFC 4291 forms; a zone (`fe80::1%eth0`) is left off. */
export function parseAddress(text: string): AddressBytes | null {
  return text.includes(':') ? parseV6(text.replace(/%.*$/, '')) : parseV4(text);
}

/** `10.0.0.0/8`, `fd00::/8`, or one address. Null = neither. Bits behind the prefix are ignored. */
export function parseRange(text: string): AddressRange | null {
  const [address = '', length, ...more] = text.split('/');
  const bytes = address.includes('%') ? null : parseAddress(address);
  if (bytes === null || more.length > 0) return null;
  const all = bytes.length * 8;
  if (length === undefined) return { bytes, bits: all };
  const bits = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return bits <= all ? { bytes, bits } : null;
}

/** False for an address of the other family. */
export function inRange(address: AddressBytes, { bytes, bits }: AddressRange): boolean {
  if (address.length !== bytes.length) return false;
  for (let at = 0; at * 8 < bits; at += 1) {
    const mask = bits - at * 8 >= 8 ? 0xff : (0xff00 >> (bits - at * 8)) & 0xff;
    if (((address[at]! ^ bytes[at]!) & mask) !== 0) return false;
  }
  return true;
}

/** Null = public. An IPv6 address that stands for an IPv4 one is judged by that. */
export function kindOf(address: AddressBytes): AddressKind | null {
  const inner = address.length === 16 ? embeddedV4(address) : address;
  if (inner !== null) return firstKind(inner, V4_RANGES);
  // Only 2000::/3 has been given out to the internet; all else is special or belongs to nobody yet.
  const kind = firstKind(address, V6_RANGES);
  return kind ?? (inRange(address, GLOBAL_V6) ? null : 'reserved');
}

/**
 * The IPv4 address inside: mapped (::ffff:a.b.c.d), translated (::ffff:0:a.b.c.d), compatible (::a.b.c.d), NAT64
 * (64:ff9b::a.b.c.d) and 6to4 (2002:ab:cd::). Teredo is refused as a whole, whatever it holds.
 */
export function embeddedV4(address: AddressBytes): AddressBytes | null {
  if (WITH_V4_AT_END.some((range) => inRange(address, range))) return address.slice(12);
  if (inRange(address, COMPATIBLE) && address.slice(12, 15).some((byte) => byte !== 0)) return address.slice(12);
  return inRange(address, SIX_TO_FOUR) ? address.slice(2, 6) : null;
}

const range = (text: string): AddressRange => parseRange(text)!;

const WITH_V4_AT_END = ['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'].map(range);
const COMPATIBLE = range('::/96');
const SIX_TO_FOUR = range('2002::/16');
const GLOBAL_V6 = range('2000::/3');

type Row = readonly [AddressKind, AddressRange];
const rows = (kind: AddressKind, ...ranges: string[]): Row[] => ranges.map((text) => [kind, range(text)]);

/** From the registry of special-purpose addresses (RFC 6890 and its successors); single ones before their ranges. */
const V4_RANGES: readonly Row[] = [
  ...rows('unspecified', '0.0.0.0/8'),
  ...rows('loopback', '127.0.0.0/8'),
  // Cloud metadata, where it is not link-local: 168.63.129.16 (Azure), 100.100.100.200 (Alibaba), 192.0.0.192 (Oracle).
  ...rows('metadata', '169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192'),
  ...rows('private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'),
  ...rows('link-local', '169.254.0.0/16'),
  ...rows('shared', '100.64.0.0/10'),
  ...rows('multicast', '224.0.0.0/4'),
  ...rows('documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'),
  // Protocol assignments, 6to4 relays, benchmarks, and what was never given out, broadcast included.
  ...rows('reserved', '192.0.0.0/24', '192.88.99.0/24', '198.18.0.0/15', '240.0.0.0/4'),
];

const V6_RANGES: readonly Row[] = [
  ...rows('unspecified', '::'),
  ...rows('loopback', '::1'),
  ...rows('metadata', 'fd00:ec2::254', 'fd20:ce::254', 'fe80::a9fe:a9fe'),
  ...rows('private', 'fc00::/7', 'fec0::/10', '64:ff9b:1::/48'),
  ...rows('link-local', 'fe80::/10'),
  ...rows('multicast', 'ff00::/8'),
  ...rows('documentation', '2001:db8::/32', '3fff::/20'),
  // Protocol assignments; Teredo (2001::/32) lies within and hides an IPv4 address.
  ...rows('reserved', '2001::/23'),
];

function firstKind(address: AddressBytes, table: readonly Row[]): AddressKind | null {
  return table.find(([, candidate]) => inRange(address, candidate))?.[0] ?? null;
}

function parseV4(text: string): AddressBytes | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return null;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : null;
}

function parseV6(text: string): AddressBytes | null {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return null;
  const front = groupsOf(head, tail === undefined);
  const back = tail === undefined ? [] : groupsOf(tail, true);
  if (front === null || back === null) return null;
  const missing = 16 - front.length - back.length;
  if (tail === undefined ? missing !== 0 : missing < 2) return null;
  return [...front, ...new Array<number>(missing).fill(0), ...back];
}

/** Bytes of `a:b:c`; the last group may be dotted decimal where the address ends. */
function groupsOf(text: string, ends: boolean): number[] | null {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [at, group] of groups.entries()) {
    const dotted = ends && at === groups.length - 1 && group.includes('.') ? parseV4(group) : null;
    if (dotted !== null) bytes.push(...dotted);
    else if (/^[0-9a-fA-F]{1,4}$/.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff);
    else return null;
  }
  return bytes;
}
