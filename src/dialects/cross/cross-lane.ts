/**
 * The way from a client of one dialect to an upstream of another, through the canonical model. One attempt each; the
 * request is read once, however many attempts ask for it.
 */
import type { Failure, FailureClass } from '../../core/failure.ts';
import type { Miss } from '../../core/request/capabilities.ts';
import { bad, type Read } from '../../core/request/read.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import type { Dialect } from '../../core/wire-names.ts';
import type { AnswerIdentity, CanonicalAnswer, CanonicalRequest, ToolNames } from '../canonical.ts';
import type {
  Answer,
  ClientRequest,
  DegradedRequest,
  FailureSource,
  Lane,
  LanePair,
  LaneSetup,
  StreamTap,
  StreamTapOptions,
  TargetFacts,
  TranslatedClient,
  TranslatedUpstream,
  UpstreamBody,
  UpstreamWrite,
} from '../contract.ts';
import { bothOf } from './answer-losses.ts';
import { saysCallsAreWhole } from './call-check.ts';
import { CrossTap } from './cross-tap.ts';
import { isJsonText } from './json-text.ts';

/** A request as one entry's `degrade` leaves it, in the canonical model. Immutable: attempts share it. */
interface ReadRequest {
  readonly degraded: DegradedRequest;
  readonly canonical: Read<CanonicalRequest>;
}

const NO_NAMES: ToolNames = new Map();

/** Dialects whose clients put arguments together and take what broke off for none at all (dialects §14.16). */
const PARTIAL_CALLS_VANISH: ReadonlySet<Dialect> = new Set(['anthropic']);

/** All attempts between a client's dialect and an upstream's other one. */
export function crossPair(client: TranslatedClient, upstream: TranslatedUpstream): LanePair {
  const requests = new RequestMemo(client);
  return {
    upstream: upstream.dialect,
    misses(request: ClientRequest, degrade: Degrade | null, target: TargetFacts): Miss | null {
      const { canonical } = requests.read(request, degrade);
      if (!canonical.ok) return { kind: 'feature', name: canonical.error.param ?? 'body', fault: canonical.error };
      return upstream.canonical.misses(canonical.value, target);
    },
    open: (setup) => new CrossLane(client, upstream, requests, setup),
  };
}

/** Reads each request once per `degrade`; forgets it with the request. */
class RequestMemo {
  readonly #client: TranslatedClient;
  readonly #known = new WeakMap<ClientRequest, Map<Degrade | null, ReadRequest>>();

  constructor(client: TranslatedClient) {
    this.#client = client;
  }

  read(request: ClientRequest, degrade: Degrade | null): ReadRequest {
    let byDegrade = this.#known.get(request);
    if (byDegrade === undefined) {
      byDegrade = new Map();
      this.#known.set(request, byDegrade);
    }
    const known = byDegrade.get(degrade);
    if (known !== undefined) return known;
    const degraded = this.#client.degraded(request, degrade);
    const read = { degraded, canonical: withChoice(this.#client.canonical.readRequest(degraded.request)) };
    byDegrade.set(degrade, read);
    return read;
  }
}

/** A call that is demanded of a tool nobody offers would be dropped in silence: that is the client's own fault. */
function withChoice(read: Read<CanonicalRequest>): Read<CanonicalRequest> {
  if (!read.ok || read.value.bound.length > 0) return read;
  const { toolChoice, tools } = read.value;
  const wanted = toolChoice?.mode === 'one' ? [toolChoice.name] : [];
  if (toolChoice?.mode === 'some' && toolChoice.must) wanted.push(...toolChoice.names);
  // Functions in a namespace may be called by their own name alone.
  const isOffered = (name: string): boolean =>
    tools.some((tool) => tool.name === name || tool.name.endsWith(`__${name}`));
  if (wanted.length > 0 && !wanted.some(isOffered)) {
    return bad('invalid_parameter', 'The tool choice names a tool that the request does not offer.', 'tool_choice');
  }
  if (toolChoice?.mode !== 'any' || tools.length > 0) return read;
  return bad('invalid_parameter', 'The tool choice demands a call, but the request offers no tools.', 'tool_choice');
}

class CrossLane implements Lane {
  readonly upstream: Dialect;
  readonly #client: TranslatedClient;
  readonly #from: TranslatedUpstream;
  readonly #requests: RequestMemo;
  readonly #setup: LaneSetup;
  #names: ToolNames = NO_NAMES;

  constructor(client: TranslatedClient, upstream: TranslatedUpstream, requests: RequestMemo, setup: LaneSetup) {
    this.upstream = upstream.dialect;
    this.#client = client;
    this.#from = upstream;
    this.#requests = requests;
    this.#setup = setup;
  }

  isStream(contentType: string, firstByte: number): boolean {
    return this.#from.isStream(contentType, firstByte);
  }

  /** what `degrade` changed, then what the translation dropped or emulated. */
  writeUpstream(request: ClientRequest, write: UpstreamWrite): UpstreamBody {
    const { degraded, canonical } = this.#requests.read(request, write.degrade);
    // `misses` has told its client already; a job that comes without having asked must not send something else.
    if (!canonical.ok)
      throw new Error(`a request that can not be read was sent on its way: ${canonical.error.message}`);
    const { names, ...body } = this.#from.canonical.writeRequest(canonical.value, write);
    this.#names = names;
    return {
      ...body,
      changes: [...degraded.changes, ...body.changes],
      dropped: degraded.dropped || body.dropped,
    };
  }

  /** The detour must lose no count: usage is the upstream's, not what the client's dialect could say of it. */
  readAnswer(bytes: Uint8Array): Answer | null {
    const canonical = this.#from.canonical.readAnswer(bytes, this.#names);
    if (canonical === null || !areCallsWhole(canonical)) return null;
    const { request } = this.#setup;
    const written = this.#client.canonical.writeAnswer(canonical, this.#identity(), request);
    const answer = this.#client.codec.readAnswer(written.bytes);
    if (answer === null) return null;
    const content = contentOf(answer.content, canonical);
    const { losses } = canonical;
    const dropped = bothOf(losses?.dropped, written.dropped);
    return { ...answer, content, usage: canonical.usage, dropped, leftOut: bothOf(losses?.leftOut, written.leftOut) };
  }

  streamTap(options: StreamTapOptions): StreamTap {
    return new CrossTap(options, {
      client: this.#client.canonical,
      upstream: this.#from.canonical,
      identity: this.#identity(),
      request: this.#setup.request,
      names: this.#names,
      callsMustBeWhole: PARTIAL_CALLS_VANISH.has(this.#client.codec.dialect),
    });
  }

  classify(source: FailureSource): Failure {
    return this.#from.classify(source);
  }

  failedFinish(reason: string): FailureClass | null {
    return this.#from.canonical.failedFinish(reason);
  }

  #identity(): AnswerIdentity {
    const { id, createdAt, servedModel, target } = this.#setup;
    return { id, createdAt, servedModel, vendor: target.vendor };
  }
}

/** F-5: of answers without a word not every dialect can tell a model that refuses, which has answered, from a filter. */
function contentOf(read: Answer['content'], { choices }: CanonicalAnswer): Answer['content'] {
  const said = choices.some(({ parts }) =>
    parts.some((part) => part.type !== 'reasoning' && !(part.type === 'text' && part.text === '')),
  );
  if (said) return read;
  if (choices.some(({ finish }) => finish === 'refusal')) return 'refusal';
  return choices.some(({ finish }) => finish === 'content_filter') ? 'filtered' : read;
}

/** Arguments that broke off are no answer (dialects §8), unless it ended in a way that may cut them. */
function areCallsWhole({ choices }: CanonicalAnswer): boolean {
  return choices.every(
    ({ finish, parts }) =>
      !saysCallsAreWhole(finish) ||
      parts.every(
        (part) => part.type !== 'call' || part.form === 'custom' || part.input.trim() === '' || isJsonText(part.input),
      ),
  );
}
