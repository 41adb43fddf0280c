/**
 * Files by URL for upstreams that fetch none: the gateway fetches them, once per request however many attempts there
 * are, while the attempt waits. A file that can't be had ends the attempt as the client's own fault, unsent.
 */
import type { NetworkRules } from '../core/net/network-rules.ts';
import type { ClientRequest, ClientSide, UpstreamWrite } from '../dialects/contract.ts';
import type { UnsentAnswer } from '../ports/transport.ts';
import { type FetchedFile, type FileFetcher, fetchFile, type NoFile } from './fetch-file.ts';
import type { Gateway } from './gateway.ts';

export type Files = NonNullable<UpstreamWrite['fetched']>;

const MAX_FILES = 5;

/** Everything a request names, being fetched or there; gone with the request. */
const fetching = new WeakMap<ClientRequest, Promise<Files | UnsentAnswer>>();

/** Where the request names files: what waits for them. Null = it names none. */
export function filesOf(
  gateway: Pick<Gateway, 'transport' | 'clock'>,
  codec: ClientSide,
  request: ClientRequest,
  rules: NetworkRules,
): (() => Promise<Files | UnsentAnswer>) | null {
  const named = codec.suppliedUrls(request) ?? [];
  if (named.length === 0) return null;
  return () => {
    const known = fetching.get(request);
    if (known !== undefined) return known;
    const { transport, clock } = gateway;
    const files = fetchAll({ transport, clock, rules }, named);
    fetching.set(request, files);
    return files;
  };
}

async function fetchAll(
  fetcher: FileFetcher,
  named: readonly { readonly param: string; readonly url: string }[],
): Promise<Files | UnsentAnswer> {
  const byUrl = new Map(named.map(({ url, param }) => [url, param] as const));
  if (byUrl.size > MAX_FILES) {
    return unsent(
      `the request names ${byUrl.size} files by URL; at most ${MAX_FILES} are fetched for this model`,
      null,
    );
  }
  const results = await Promise.all(
    [...byUrl.keys()].map(async (url) => [url, await fetchFile(fetcher, url)] as const),
  );
  for (const [url, result] of results) {
    if (isNone(result))
      return unsent(`the file could not be fetched for this model: ${result.refused}`, byUrl.get(url)!);
  }
  return new Map(results as readonly (readonly [string, FetchedFile])[]);
}

function isNone(result: FetchedFile | NoFile): result is NoFile {
  return 'refused' in result;
}

/** What an upstream would have said that can't fetch it either. */
function unsent(why: string, param: string | null): UnsentAnswer {
  const message = param === null ? why : `${param}: ${why}`;
  const error = { message, type: 'invalid_request_error', code: 'invalid_parameter', param };
  return { status: 400, body: Buffer.from(JSON.stringify({ error })) };
}

export function isUnsent(files: Files | UnsentAnswer): files is UnsentAnswer {
  return 'status' in files;
}
