/**
 * URLs in a request. The upstreams fetch them, or `fetched-files.ts` for those that can't: what an address of the
 * operator's network, or a metadata service, looks like is refused before anybody is asked to fetch it (G-9). Names are
 * not resolved: where a name leads for somebody else, and then, cannot be known here.
 */
import type { NetworkRules } from '../core/net/network-rules.ts';
import { refusedUrl } from '../core/net/network-rules.ts';
import { bad, good, type Read } from '../core/request/read.ts';
import type { ClientRequest, ClientSide } from '../dialects/contract.ts';

/** Refuses with 400 `invalid_parameter` (G-9). */
export function checkSuppliedUrls(codec: ClientSide, request: ClientRequest, rules: NetworkRules): Read<null> {
  const urls = codec.suppliedUrls(request);
  if (urls === null) return bad('invalid_parameter', '`messages` holds more URLs than any model takes', 'messages');
  for (const { param, url } of urls) {
    const refused = refusedUrl(url, rules);
    if (refused === null) continue;
    return bad('invalid_parameter', `\`${param}\` names a URL that must not be fetched: ${refused}`, param);
  }
  return good(null);
}
