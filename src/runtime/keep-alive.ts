/** T-11: what a streaming client is sent while it waits. */
import type { Snapshot } from '../config/snapshot.ts';
import type { ClientRequest, ClientSide } from '../dialects/contract.ts';
import type { KeepAliveRule } from './delivery.ts';
import { EVENT_STREAM } from './response-headers.ts';

/** Null = it gets none: it is no stream, its form has none, or they are switched off. */
export function keepAliveRule(
  { streaming }: Pick<Snapshot, 'streaming'>,
  codec: ClientSide,
  request: ClientRequest,
): KeepAliveRule | null {
  const { keepAliveAfterMs, keepAliveEveryMs } = streaming;
  const comment = request.stream && keepAliveAfterMs > 0 ? codec.keepAlive(request) : null;
  if (comment === null) return null;
  const type = codec.streamType?.(request) ?? EVENT_STREAM;
  return { afterMs: keepAliveAfterMs, everyMs: keepAliveEveryMs, comment, type };
}
