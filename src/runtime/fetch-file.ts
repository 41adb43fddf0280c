/** Fetches one file a client named by its URL (G-9): public addresses only, on every hop; bounded in size and time. */
import { type NetworkRules, refusedUrl } from '../core/net/network-rules.ts';
import type { Clock } from '../ports/clock.ts';
import type { Transport, UpstreamCall } from '../ports/transport.ts';
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
function ask(
  { transport, clock, rules }: FileFetcher,
  url: string,
  endsAt: number,
): Promise<FetchedFile | NoFile | Elsewhere> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    let type = '';
    let call: UpstreamCall | null = null;
    const end = (answer: FetchedFile | NoFile | Elsewhere): void => {
      cancel();
      call?.abort();
      resolve(answer);
    };
    const late = (): void => end({ refused: `it did not arrive within ${TIMEOUT_MS / 1000} s` });
    const cancel = clock.after(Math.max(0, endsAt - clock.now()), late);
    call = transport.call(requestFor(url, rules), {
      onSent() {},
      onHead(status, headers) {
        type = headers['content-type'] ?? '';
        const { location } = headers;
        if (status >= 300 && status <= 399 && location !== undefined) end({ location });
        else if (status !== 200) end({ refused: `its server answered ${status}` });
        else if (Number(headers['content-length'] ?? 0) > MAX_FILE_BYTES) end({ refused: TOO_LARGE });
      },
      onData(chunk) {
        length += chunk.length;
        if (length > MAX_FILE_BYTES) end({ refused: TOO_LARGE });
        else chunks.push(chunk);
        return true;
      },
      onEnd() {
        const bytes = Buffer.concat(chunks);
        if (length === 0) end({ refused: 'it is empty' });
        else end({ mime: fileType(type, bytes), base64: bytes.toString('base64') });
      },
      onFault({ kind }) {
        end({ refused: kind === 'forbidden' ? 'its address is not a public one' : 'its server can not be reached' });
      },
    });
  });
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
