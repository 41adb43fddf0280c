/** Addresses and G-9: the operator's exceptions, and what a credential of the store may name. */
import { exceptionFault, networkRules, refusedUrl } from '../../core/net/network-rules.ts';
import type { Config } from '../schema/config-schema.ts';
import { listAt, type Review, report, textAt } from './loose.ts';

/** Each exception must be something an address or a host can be compared with. */
export function checkNetwork(review: Review): void {
  listAt(review, 'network', 'allow_private').forEach((_, index) => {
    const path = ['network', 'allow_private', index];
    const entry = textAt(review, ...path);
    const fault = entry === null || entry === '' ? null : exceptionFault(entry);
    if (fault !== null) report(review, 'invalid_value', path, fault);
  });
}

/**
 * Why a credential that is not the file's may not have this address; null = it may, as far as its text tells. A name's
 * addresses are judged at every connection. The file's credentials may go anywhere: the operator wrote it.
 */
export function ownAddressFault({ network }: Pick<Config, 'network'>, address: unknown): string | null {
  if (typeof address !== 'string') return null;
  const refused = refusedUrl(address, networkRules(network.allow_private));
  return refused === null
    ? null
    : `must be a public address: ${refused} (the operator may except it: network.allow_private)`;
}
