/**
 * What one request may cost at each target, read from its bytes when somebody asks: planning under `max_cost_usd`, a
 * prepaid balance, limits. A request that none of them concerns is never measured.
 */
import type { PriceEntry, Snapshot } from '../config/snapshot.ts';
import type { Target } from '../core/failover/plan-types.ts';
import type { Expected } from '../core/limits/limits.ts';
import { costOf, worstCost } from '../core/money/cost.ts';
import {
  type Asks,
  expectedUsage,
  fairInputTokens,
  type Measure,
  type ModelSize,
  mostOutputTokens,
  worstInputTokens,
} from '../core/money/estimate.ts';
import type { Chain } from '../core/request/chain.ts';
import type { ClientRequest, ClientSide } from '../dialects/contract.ts';
import { measureRequest } from './measure-request.ts';
import type { DataRoute } from './reception.ts';

/** Of operations that providers charge nothing for. */
const FREE: PriceEntry = { input: 0n, output: 0n, cachedInput: 0n };

/** What one request may cost at each target (D-4, G-4). Nano-dollars; null = the price is unknown. */
export class RequestMoney {
  readonly #snapshot: Snapshot;
  readonly #codec: ClientSide;
  readonly #request: ClientRequest;
  readonly #chain: Chain;
  readonly #isFree: boolean;
  #measure: Measure | null = null;
  /** By model. Made when first asked for, like the measure: most requests never are. */
  #asks: Map<number, Asks> | null = null;

  constructor(
    snapshot: Snapshot,
    { codec, operation }: Pick<DataRoute, 'codec' | 'operation'>,
    request: ClientRequest,
    chain: Chain,
  ) {
    this.#snapshot = snapshot;
    this.#codec = codec;
    this.#request = request;
    this.#chain = chain;
    this.#isFree = operation === 'count_tokens';
  }

  /** The channel's own price, else its model's; null = unknown. */
  pricesOf({ model, channel }: Target): PriceEntry | null {
    if (this.#isFree) return FREE;
    return this.#snapshot.channels[channel]!.price ?? this.#snapshot.models[model]!.price;
  }

  /** What one attempt costs at most (D-4, G-4), also if it may answer at more length (D-5); null = its price is unknown. */
  worstCost(target: Target, outputTokens?: number): bigint | null {
    const prices = this.pricesOf(target);
    if (prices === null) return null;
    const asked = this.#asksOf(target);
    const asks = outputTokens === undefined ? asked : { ...asked, maxOutputTokens: outputTokens };
    const size = this.#sizeOf(target);
    const inputTokens = worstInputTokens(this.#measured(asks), size.contextWindow);
    const maxOutputTokens = mostOutputTokens(asks, inputTokens, size);
    return worstCost({ inputTokens, maxOutputTokens, audioIn: asks.audioIn, audioOut: asks.audioOut, prices });
  }

  /** What one attempt is expected to use, for limits (P-4). */
  expected(target: Target): Expected {
    const input = this.fairInput(target);
    const usage = expectedUsage(input, this.#asksOf(target));
    const prices = this.pricesOf(target);
    return { tokens: usage.total ?? input, certain: input, cost: prices === null ? null : costOf(usage, prices) };
  }

  /** Input tokens where no upstream has counted them. */
  fairInput(target: Target): number {
    return fairInputTokens(this.#measured(this.#asksOf(target)), this.#sizeOf(target).contextWindow);
  }

  #measured({ mediaParts }: Asks): Measure {
    this.#measure ??= measureRequest(this.#request, mediaParts);
    return this.#measure;
  }

  #asksOf({ model }: Target): Asks {
    this.#asks ??= new Map();
    const known = this.#asks.get(model);
    if (known !== undefined) return known;
    const degrade = this.#chain.entries.find((entry) => entry.model === model)?.degrade ?? null;
    const asks = this.#codec.asks(this.#request, degrade);
    this.#asks.set(model, asks);
    return asks;
  }

  #sizeOf({ model, channel }: Target): ModelSize {
    const { contextWindow, maxOutputTokens } = this.#snapshot.channels[channel]!;
    const like = this.#snapshot.models[model]!;
    return {
      contextWindow: contextWindow ?? like.contextWindow,
      maxOutputTokens: maxOutputTokens ?? like.maxOutputTokens ?? null,
    };
  }
}
