/** The ways between what a client speaks and what an upstream speaks. Each is built once and serves every request. */
import type { Failure, FailureClass } from '../core/failure.ts';
import type { Dialect } from '../core/wire-names.ts';
import { chatClient, chatUpstream } from './chat/translated.ts';
import type {
  Answer,
  ClientRequest,
  DialectCodec,
  FailureSource,
  Lane,
  LanePair,
  StreamTap,
  StreamTapOptions,
  TranslatedClient,
  TranslatedUpstream,
  UpstreamBody,
  UpstreamWrite,
} from './contract.ts';
import { converseUpstream } from './converse/translated.ts';
import { crossPair } from './cross/cross-lane.ts';
import { generateClient, generateUpstream } from './generate/translated.ts';
import { messagesClient, messagesUpstream } from './messages/translated.ts';
import { responsesClient, responsesUpstream } from './responses/translated.ts';
import { isEventStream } from './stream/is-event-stream.ts';

/** Both sides speak the same: the codec does it all, and bytes pass. Of an attempt it keeps at most the request. */
export class NativeLane implements Lane {
  readonly upstream: Dialect;
  readonly #codec: DialectCodec;
  readonly #request: ClientRequest | undefined;

  /** `request`: where the client's stream has another form than the dialect's own. */
  constructor(codec: DialectCodec, request?: ClientRequest) {
    this.upstream = codec.dialect;
    this.#codec = codec;
    this.#request = request;
  }

  isStream(contentType: string, firstByte: number): boolean {
    return this.#codec.isStream?.(contentType, firstByte) ?? isEventStream(contentType, firstByte);
  }

  writeUpstream(request: ClientRequest, write: UpstreamWrite): UpstreamBody {
    return this.#codec.writeUpstream(request, write);
  }

  readAnswer(bytes: Uint8Array, contentType?: string): Answer | null {
    return this.#codec.readAnswer(bytes, contentType);
  }

  streamTap(options: StreamTapOptions): StreamTap {
    return this.#codec.streamTap(options, this.#request);
  }

  classify(source: FailureSource): Failure {
    return this.#codec.classify(source);
  }

  failedFinish(reason: string): FailureClass | null {
    return this.#codec.failedFinish(reason);
  }
}

const natives = new WeakMap<DialectCodec, LanePair>();

function nativePair(codec: DialectCodec): LanePair {
  let pair = natives.get(codec);
  if (pair === undefined) {
    const lane = new NativeLane(codec);
    pair = {
      upstream: codec.dialect,
      misses: () => null,
      open: ({ request }) => (request.place.form === 'array' ? new NativeLane(codec, request) : lane),
    };
    natives.set(codec, pair);
  }
  return pair;
}

/** Client dialects that can be translated, by the codec that generates in them. */
const CLIENTS: ReadonlyMap<DialectCodec, TranslatedClient> = new Map(
  [chatClient, responsesClient, messagesClient, generateClient].map((client) => [client.codec, client]),
);

/** Upstream dialects that can be translated to. */
const UPSTREAMS: ReadonlyMap<Dialect, TranslatedUpstream> = new Map(
  [chatUpstream, responsesUpstream, messagesUpstream, generateUpstream, converseUpstream].map((upstream) => [
    upstream.dialect,
    upstream,
  ]),
);

const crossings = new Map<TranslatedClient, Map<Dialect, LanePair>>();

function crossingOf(codec: DialectCodec, dialect: Dialect): LanePair | null {
  const client = CLIENTS.get(codec);
  const upstream = UPSTREAMS.get(dialect);
  if (client === undefined || upstream === undefined) return null;
  const pairs = crossings.get(client) ?? new Map<Dialect, LanePair>();
  crossings.set(client, pairs);
  const pair = pairs.get(dialect) ?? crossPair(client, upstream);
  pairs.set(dialect, pair);
  return pair;
}

/** From a client of this codec to an upstream of this dialect; null = there is no way: only answers are translated. */
export function laneOf(codec: DialectCodec, dialect: Dialect): LanePair | null {
  return codec.dialect === dialect ? nativePair(codec) : crossingOf(codec, dialect);
}
