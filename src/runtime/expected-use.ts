/** What a request is expected to use before anybody has planned it, for its caller's limits (G-11). */
import type { Snapshot } from '../config/snapshot.ts';
import type { Expected } from '../core/limits/limits.ts';
import { costOf } from '../core/money/cost.ts';
import { expectedUsage, fairInputTokens } from '../core/money/estimate.ts';
import type { ClientRequest, ClientSide } from '../dialects/contract.ts';
import { measureRequest } from './measure-request.ts';

/** The input is certain, as far as bytes tell; a usual answer is held beside it, at the first model's price. */
export function expectedUse(snapshot: Snapshot, codec: ClientSide, request: ClientRequest): Expected {
  const asks = codec.asks(request, null);
  const input = fairInputTokens(measureRequest(request, asks.mediaParts), null);
  const usage = expectedUsage(input, asks);
  const price = priceNamed(snapshot, firstModel(request));
  return { tokens: usage.total ?? input, certain: input, cost: price === null ? null : costOf(usage, price) };
}

function firstModel({ model, models }: ClientRequest): string | null {
  const first: unknown = Array.isArray(models) ? models[0] : model;
  if (typeof first === 'string') return first;
  const named = typeof first === 'object' && first !== null && 'model' in first ? first.model : null;
  return typeof named === 'string' ? named : null;
}

/** Null = a virtual or unknown name, or a model without a known price: nothing is held, what it costs is settled. */
function priceNamed(snapshot: Snapshot, name: string | null) {
  if (name === null) return null;
  const ix = snapshot.modelById.get(name) ?? snapshot.modelById.get(snapshot.aliases.get(name) ?? '');
  if (ix === undefined) return null;
  const model = snapshot.models[ix]!;
  const first = model.channels[0];
  return (first === undefined ? null : snapshot.channels[first]!.price) ?? model.price;
}
