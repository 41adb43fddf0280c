/** A call on something that lives upstream, as it is sent (P-8). */
import type { RequestPlace } from '../dialects/contract.ts';
import type { UpstreamRequest } from '../ports/transport.ts';

const NOTHING = new Uint8Array(0);

/** The call as it is sent: the operation's own address with what it is about, and nothing but its head. */
export function boundUpstream(
  upstream: UpstreamRequest,
  { method, path, query }: NonNullable<RequestPlace['call']>,
): UpstreamRequest {
  const at = upstream.url.indexOf('?');
  const base = at < 0 ? upstream.url : upstream.url.slice(0, at);
  const own = at < 0 ? '' : upstream.url.slice(at + 1);
  const queries = [own, query].filter((one) => one !== '').join('&');
  const headers: string[] = [];
  for (let i = 0; i + 1 < upstream.headers.length; i += 2) {
    const name = upstream.headers[i]!;
    if (name === 'content-type' && method !== 'POST') continue;
    headers.push(name, name === 'accept' ? '*/*' : upstream.headers[i + 1]!);
  }
  const url = `${base}${path}${queries === '' ? '' : `?${queries}`}`;
  return { ...upstream, url, headers, body: NOTHING, ...(method === 'POST' ? {} : { method }) };
}
