/**
 * How a route reaches a channel: which dialect is spoken there, by which lane, at which address. Worked out once per
 * snapshot; a request only looks it up.
 */
import type { ChannelEntry, ProviderEntry } from '../config/snapshot.ts';
import type { Degrade } from '../core/request/redundancy-types.ts';
import type { Dialect, Operation } from '../core/wire-names.ts';
import { readString } from '../dialects/bytes/body-view.ts';
import type { ClientRequest, LanePair, TargetFacts } from '../dialects/contract.ts';
import { laneOf } from '../dialects/lanes.ts';
import { addressOf, joined } from '../providers/addresses.ts';
import { type BodyFields, bodyFieldsOf } from '../providers/body-fields.ts';
import { MESSAGES_VERSION_HEADER } from '../providers/headers.ts';
import { lacksOf } from '../providers/quirks.ts';
import { dialectsOf, vendorOf } from '../providers/vendors.ts';
import type { DataRoute } from './reception.ts';

/** What of a route its way depends on. */
export type Asking = Pick<DataRoute, 'codec' | 'operation'>;

/** From one route to one channel. */
export class Way {
  /** Null = this channel does not serve it (P-6's `unsupported_model_api`). */
  readonly pair: LanePair | null;
  readonly dialect: Dialect;
  /** Client and upstream speak the same. */
  readonly native: boolean;
  readonly facts: TargetFacts;
  /** Whatever a request says in its dialect can be said here: nothing of it has to be asked. */
  readonly carriesAll: boolean;
  /** The dialect's version stands in a header of its own. */
  readonly versioned: boolean;
  /** Client headers passed on, lower case, that version aside (G-10). */
  readonly forward: readonly string[];
  /** What is accepted of a whole answer, and of a stream. */
  readonly wholeType: string;
  readonly streamType: string;
  /** Files that the request names by URL have to go along: nobody there fetches them. */
  readonly takesNoUrls: boolean;
  /** What the address wants changed in the body; null = nothing. */
  readonly bodyFields: BodyFields | null;
  /** Taken instead where function tools and reasoning come together, which this dialect can't have here; null = it can. */
  readonly forReasonedTools: Way | null;
  readonly #provider: ProviderEntry;
  readonly #asking: Asking;
  readonly #wholeUrl: string;
  readonly #streamUrl: string;

  constructor(asking: Asking, channel: ChannelEntry, dialect: Dialect, made: Made) {
    const { provider, upstreamModel } = channel;
    const { forwardHeaders } = provider;
    this.#asking = asking;
    this.#provider = provider;
    this.dialect = dialect;
    this.native = dialect === asking.codec.dialect;
    this.pair = isServed(asking, provider, this.native) ? laneOf(asking.codec, dialect) : null;
    this.facts = {
      upstreamModel,
      vendor: vendorOf(provider.type, provider.name, dialect, upstreamModel),
      maxOutputTokens: made.maxOutputTokens,
      lacks: lacksOf({ type: provider.type, dialect, model: upstreamModel }),
    };
    this.versioned = dialect === 'anthropic' && provider.addressing === 'plain';
    const passed = this.native ? [...forwardHeaders.always, ...forwardHeaders.native] : forwardHeaders.always;
    this.forward = passed.filter((name) => name !== MESSAGES_VERSION_HEADER);
    this.wholeType = FILES.has(asking.operation) ? '*/*' : 'application/json';
    this.streamType = streamTypeOf(dialect, asking.operation);
    this.takesNoUrls = !this.native && (dialect === 'gemini' || dialect === 'bedrock');
    this.bodyFields = bodyFieldsOf(provider.addressing, dialect, asking.operation);
    this.forReasonedTools = made.forReasonedTools;
    this.carriesAll = this.native && made.forReasonedTools === null;
    this.#wholeUrl = this.#urlAt(provider.baseUrl, false);
    this.#streamUrl = this.#urlAt(provider.baseUrl, true);
  }

  /** @param ownBase a workspace's own address for the provider; null = the provider's */
  url(ownBase: string | null, stream: boolean): string {
    if (ownBase !== null) return this.#urlAt(ownBase, stream);
    return stream ? this.#streamUrl : this.#wholeUrl;
  }

  #urlAt(base: string, stream: boolean): string {
    const { upstreamModel } = this.facts;
    const { operation } = this.#asking;
    return joined(base, addressOf(this.#provider, { dialect: this.dialect, operation, upstreamModel, stream }));
  }
}

/** Operations whose answers may be files. */
const FILES: ReadonlySet<Operation> = new Set(['speech', 'transcription', 'translation']);

/** Where answers may be files, a stream is whatever comes. */
function streamTypeOf(dialect: Dialect, operation: Operation): string {
  if (FILES.has(operation)) return '*/*';
  return dialect === 'bedrock' ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
}

interface Made {
  readonly maxOutputTokens: number | null;
  readonly forReasonedTools: Way | null;
}

function isServed({ operation }: Asking, { operations }: ProviderEntry, native: boolean): boolean {
  return operations.has(operation) && (native || operation === 'generate');
}

/** The way from a route to a channel. `maxOutputTokens`: the longest answer there, null = unknown. */
export function wayTo(asking: Asking, channel: ChannelEntry, maxOutputTokens: number | null): Way {
  const dialect = dialectFor(asking, channel);
  const forReasonedTools = reasonedTools(asking, channel, dialect, maxOutputTokens);
  return new Way(asking, channel, dialect, { maxOutputTokens, forReasonedTools });
}

/** The channel's own `api`; else the client's dialect where the model is called in it; else what is preferred there. */
function dialectFor({ codec, operation }: Asking, { api, provider, upstreamModel }: ChannelEntry): Dialect {
  if (api !== undefined && operation === 'generate') return api;
  const all = dialectsOf(provider.type, provider.dialects, upstreamModel);
  const without = (dialect: Dialect): boolean =>
    operation === 'generate' && lacksOf({ type: provider.type, dialect, model: upstreamModel }).has('dialect');
  const spoken = all.every(without) ? all : all.filter((dialect) => !without(dialect));
  return spoken.includes(codec.dialect) ? codec.dialect : spoken[0]!;
}

/** Models that take tools or reasoning in Chat, but not both, take them in Responses where that is spoken too. */
function reasonedTools(
  asking: Asking,
  channel: ChannelEntry,
  dialect: Dialect,
  maxOutputTokens: number | null,
): Way | null {
  const { provider, upstreamModel, api } = channel;
  if (dialect !== 'openai-chat' || api !== undefined || asking.operation !== 'generate') return null;
  if (!provider.dialects.includes('openai-responses')) return null;
  if (!lacksOf({ type: provider.type, dialect, model: upstreamModel }).has('chat_tools_with_reasoning')) return null;
  const other = new Way(asking, channel, 'openai-responses', { maxOutputTokens, forReasonedTools: null });
  return other.pair === null ? null : other;
}

/** The way this very request takes. Nothing of it is read unless the model makes a difference. */
export function wayFor(way: Way, { codec }: Asking, request: ClientRequest, degrade: Degrade | null): Way {
  if (way.forReasonedTools === null || thinksNot(codec.dialect, request, degrade)) return way;
  const offersTools = codec.needs(request, degrade).feature((name) => name === 'tools') !== undefined;
  return offersTools ? way.forReasonedTools : way;
}

/** Unless told otherwise such models think. */
function thinksNot(dialect: Dialect, { view }: ClientRequest, degrade: Degrade | null): boolean {
  const asked = dialect === 'openai-chat' ? readString(view, 'reasoning_effort') : null;
  return (degrade?.reasoning_effort ?? asked) === 'none';
}
