/**
 * Name resolution that judges every address before one is connected to (G-9). The connection is made to the very
 * addresses that were judged: a name that answers otherwise the next time (DNS rebinding) finds nobody asking.
 */
import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type NetworkRules, refusedAddress, refusedHost } from '../../core/net/network-rules.ts';

/** Resolves a name to all its addresses; the system's resolver, or a test's. */
export type ResolveAll = (
  host: string,
  options: LookupOptions & { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export const resolveAll: ResolveAll = systemLookup;

/** The host, or one of its addresses, is not public, and the operator does not allow it. Nothing was sent. */
export class ForbiddenAddress extends Error {
  readonly code = 'FORBIDDEN_ADDRESS';
}

/** A `lookup` for sockets. One address that may not be reached spoils the name: which one is taken is chance. */
export function guardedLookup(rules: NetworkRules, resolve: ResolveAll): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const refused = error === null ? refusal(host, addresses, rules) : null;
      if (error !== null) done(error, '', 0);
      else if (refused !== null) done(new ForbiddenAddress(refused), '', 0);
      else if (options.all === true) done(null, addresses);
      else done(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}

/** Hosts that need no resolving: sockets don't look addresses up, so these are judged before. Null = go on. */
export function refusedLiteral(host: string, rules: NetworkRules): ForbiddenAddress | null {
  const refused = refusedHost(host, rules);
  return refused === null ? null : new ForbiddenAddress(refused);
}

/** One address of a host that may be reached, for those who connect by address. */
export function resolveGuarded(host: string, rules: NetworkRules, resolve: ResolveAll): Promise<LookupAddress> {
  return new Promise((found, failed) => {
    const literal = refusedLiteral(host, rules);
    const bare = host.replace(/^\[(.*)\]$/, '$1');
    const family = isIP(bare);
    if (literal !== null) failed(literal);
    else if (family !== 0) found({ address: bare, family });
    else {
      guardedLookup(rules, resolve)(host, {}, (error, address, chosen) => {
        if (error !== null) failed(error);
        else found({ address: address as string, family: chosen ?? isIP(address as string) });
      });
    }
  });
}

function refusal(host: string, addresses: readonly LookupAddress[], rules: NetworkRules): string | null {
  if (addresses.length === 0) return `${host} has no address`;
  if (rules.hosts.has(host.toLowerCase().replace(/\.+$/, ''))) return null;
  for (const { address } of addresses) {
    const refused = refusedAddress(address, rules);
    if (refused !== null) return `${host} leads to ${refused}`;
  }
  return null;
}
