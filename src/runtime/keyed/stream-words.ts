/** How a stream that was taken over from elsewhere says that it breaks off (T-4). */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { ClientRequest, DialectCodec } from '../../dialects/contract.ts';
import type { FrameOf } from '../delivery.ts';
import type { SpoolBytes } from './spool-bytes.ts';

/** Whose words they are: all who wait under one key sent the same request. */
export interface StreamWords {
  readonly codec: DialectCodec;
  readonly request: ClientRequest;
}

/** A longer stream breaks off with the dialect's general words. */
const MOST_READ = 8 * 1024 * 1024;

/** Reads what was shown so far for the stream's own id and next number. */
export async function wordsAfter(
  { codec, request }: StreamWords,
  bytes: SpoolBytes,
  error: GatewayError,
): Promise<FrameOf> {
  const general: FrameOf = (requestId) => codec.streamError(error, requestId, request);
  if (!request.stream || bytes.length === 0 || bytes.length > MOST_READ) return general;
  const shown = await bytes.all(new Uint8Array()).catch(() => null);
  if (shown === null) return general;
  const tap = codec.streamTap(
    {
      servedModel: request.model ?? '',
      includeUsage: request.includeUsage,
      n: request.n,
      maxEventBytes: shown.length,
      maxPreludeBytes: shown.length,
      holdAll: false,
      maxHeldBytes: shown.length,
    },
    request,
  );
  tap.push(shown);
  tap.drain();
  return (requestId) => tap.interrupt?.(error, requestId) ?? general(requestId);
}
