/** Fetches one file a client named by its URL (G-9): public addresses only, on every hop; bounded in size and time. */

import { type NetworkRules, refusedUrl } from '../core/net/network-rules.ts';
import type { Clock } from '../ports/clock.ts';
import type { Transport } from '../ports/transport.ts';
import { wholeCall } from '../ports/whole-call.ts';
import { fileType } from './file-type.ts';

export interface FetchedFile {
  /** Lower case, without parameters. */
  readonly mime: string;
  readonly base64: string;
}

/** Why there is no file, in words for the client. */
export interface NoFile {
  readonly refused: string;
}

interface Elsewhere {
  readonly location: string;
}

export interface FileFetcher {
  readonly transport: Transport;
  readonly clock: Pick<Clock, 'after' | 'now'>;
  readonly rules: NetworkRules;
}

export const MAX_FILE_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
const CONNECT_MS = 5000;
const MAX_HOPS = 4;
const NO_BYTES = new Uint8Array(0);

/** Never rejects. */
export async function fetchFile(fetcher: FileFetcher, url: string): Promise<FetchedFile | NoFile> {
  const endsAt = fetcher.clock.now() + TIMEOUT_MS;
  let address = url;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const forbidden = /^https?:\/\//i.test(address) ? refusedUrl(address, fetcher.rules) : 'it is no web address';
    if (forbidden !== null) return { refused: forbidden };
    const answer = await ask(fetcher, address, endsAt);
    if (!('location' in answer)) return answer;
    if (!URL.canParse(answer.location, address)) return { refused: 'it is redirected to no address' };
    address = new URL(answer.location, address).href;
  }
  return { refused: 'it is redirected too often' };
}

/** One call, of which no redirect is followed. */
async function ask(
  { transport, clock, rules }: FileFetcher,
  url: string,
  endsAt: number,
): Promise<FetchedFile | NoFile | Elsewhere> {
  const timeoutMs = Math.max(0, endsAt - clock.now());
  const { status, headers, bytes, fault } = await wholeCall({ transport, clock }, requestFor(url, rules), {
    timeoutMs,
    mostBytes: MAX_FILE_BYTES,
    isEnough: (answered, told) => answered !== 200 || Number(told['content-length'] ?? 0) > MAX_FILE_BYTES,
  });
  const { location } = headers;
  if (fault === 'late') return { refused: `it did not arrive within ${TIMEOUT_MS / 1000} s` };
  if (fault === 'long') return { refused: TOO_LARGE };
  if (fault === 'forbidden') return { refused: 'its address is not a public one' };
  if (fault !== null) return { refused: 'its server can not be reached' };
  if (status !== null && status >= 300 && status <= 399 && location !== undefined) return { location };
  if (status !== 200) return { refused: `its server answered ${status}` };
  if (Number(headers['content-length'] ?? 0) > MAX_FILE_BYTES) return { refused: TOO_LARGE };
  if (bytes.length === 0) return { refused: 'it is empty' };
  return { mime: fileType(headers['content-type'] ?? '', bytes), base64: bytes.toString('base64') };
}

const TOO_LARGE = `it is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`;

function requestFor(url: string, rules: NetworkRules): Parameters<Transport['call']>[0] {
  return {
    method: 'GET',
    url,
    headers: ['accept', '*/*', 'user-agent', 'understudy/0.1'],
    body: NO_BYTES,
    connectTimeoutMs: CONNECT_MS,
    proxy: null,
    guard: rules,
  };
}
