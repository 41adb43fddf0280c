/**
 * Builds one upstream call from the original request, never from a previous attempt: no field, header or credential
 * of one attempt can reach the next. Headers are only what the provider's row sets (G-10).
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ChannelEntry } from '../config/snapshot.ts';
import type { PlannedTarget } from '../core/failover/plan-types.ts';
import type { ClientRequest, Lane, UpstreamWrite } from '../dialects/contract.ts';
import type { UnsentAnswer } from '../ports/transport.ts';
import { MESSAGES_VERSION_HEADER } from '../providers/headers.ts';
import { attemptVeil } from './attempt-veil.ts';
import { boundUpstream } from './bound-upstream.ts';
import { entitle } from './entitle.ts';
import { type Files, filesOf, isUnsent } from './fetched-files.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import { preparedFor } from './prepared.ts';
import type { AttemptSpec } from './run-attempt.ts';
import { sentBody } from './sent-body.ts';
import { upstreamHeaders } from './upstream-headers.ts';
import { type Way, wayFor } from './way.ts';

/** What the engine allows an attempt. Lengths in ms. */
export interface AttemptLimits {
  /** Its number. */
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly firstTokenTimeoutMs: number | null;
  /** Output tokens to ask for instead of the client's own (D-5). */
  readonly extendTo?: number;
  /** Opaque reasoning stays behind. */
  readonly bare?: true;
}

/** A call, and what its request says of itself. */
export interface SpecifiedAttempt {
  readonly spec: AttemptSpec;
  /** What was altered for this target, for the record. */
  readonly changes: readonly string[];
  /** They take something away, or were asked for by an entry; a default where one is demanded does not. */
  readonly degrades: boolean;
  /** Opaque reasoning goes along. */
  readonly opaque: boolean;
}

/** The word for `changes` where what a URL leads to goes in its place: the same to the model. */
const FILES_FETCHED = 'files fetched';

/** Everything one call needs, from the client’s own request (G-1). */
export function attemptSpec(
  gateway: Gateway,
  job: Job,
  planned: PlannedTarget,
  limits: AttemptLimits,
): SpecifiedAttempt {
  const { snapshot, request, options } = job;
  const channel = snapshot.channels[planned.target.channel]!;
  const provider = channel.provider;
  const credential = planned.target.credential === null ? null : snapshot.credentials[planned.target.credential]!;
  const entry = job.chain.entries.find((candidate) => candidate.model === planned.target.model);
  const degrade = entry?.degrade ?? null;
  const way = wayFor(preparedFor(snapshot).wayTo(job.route, channel), job.route, request, degrade);
  const lane = openLane(gateway, job, channel, way);
  const write: UpstreamWrite = {
    target: way.facts,
    degrade,
    injectUsage: request.stream,
    ...(limits.extendTo === undefined ? {} : { outputTokens: limits.extendTo }),
    ...(limits.bare === undefined ? {} : { bare: true }),
  };
  const body = lane.writeUpstream(request, write);
  const files = way.takesNoUrls ? filesOf(gateway, job.codec, request, snapshot.network) : null;
  const { headers, order } = upstreamHeaders({
    way,
    provider,
    credential,
    contentType: body.contentType,
    stream: request.stream,
    clientHeaders: job.clientHeaders,
  });
  const spec: AttemptSpec = {
    no: limits.attempt,
    upstream: {
      url: way.url(credential?.baseUrl ?? null, request.stream),
      headers,
      body: sentBody(body, request, way),
      ...(files === null ? {} : { before: () => bodyWithFiles(files, lane, request, write) }),
      ...(order === null ? {} : { sign: order }),
      ...entitle(gateway, job, planned.target, limits.attempt),
      connectTimeoutMs: provider.connectTimeoutMs,
      proxy: provider.proxy?.reveal() ?? null,
      guard: credential?.baseUrl != null && credential.managedBy === 'store' ? snapshot.network : null,
    },
    lane,
    vocabulary: provider.vocabulary,
    ...attemptVeil(gateway, request, credential, forwardedValues(way, job.clientHeaders)),
    stream: request.stream,
    tap: {
      servedModel: modelName(job, channel),
      includeUsage: request.includeUsage,
      n: request.n,
      maxEventBytes: snapshot.streaming.maxEventBytes,
      maxPreludeBytes: snapshot.streaming.maxPreludeBytes,
      holdAll: options.commit === 'complete',
      maxHeldBytes: options.maxHeldBytes,
    },
    timeoutMs: limits.timeoutMs,
    firstTokenTimeoutMs: limits.firstTokenTimeoutMs,
    idleTimeoutMs: options.idleTimeoutMs,
    stallTimeoutMs: options.stallTimeoutMs,
    maxAnswerBytes: snapshot.server.maxAnswerBytes,
  };
  const { call } = request.place;
  const { upstream } = spec;
  return {
    spec: call === undefined ? spec : { ...spec, upstream: boundUpstream(upstream, call) },
    changes: files === null ? body.changes : [...body.changes, FILES_FETCHED],
    degrades: body.dropped || (body.changes.length > 0 && (degrade !== null || limits.extendTo !== undefined)),
    opaque: body.opaque ?? false,
  };
}

/** The same body again, with what its URLs lead to in their place. */
async function bodyWithFiles(
  files: () => Promise<Files | UnsentAnswer>,
  lane: Lane,
  request: ClientRequest,
  write: UpstreamWrite,
): Promise<Uint8Array | UnsentAnswer> {
  const fetched = await files();
  return isUnsent(fetched) ? fetched : lane.writeUpstream(request, { ...write, fetched }).bytes;
}

/** Its own for this attempt, as far as it keeps anything of one. */
function openLane(gateway: Gateway, job: Job, channel: ChannelEntry, { pair, facts }: Way): Lane {
  if (pair === null) throw new Error(`no way to provider ${channel.provider.name}: such targets are unfit (P-6)`);
  const { request, identity } = job;
  const createdAt = gateway.clock.wall();
  return pair.open({ request, target: facts, servedModel: modelName(job, channel), id: identity.requestId, createdAt });
}

function modelName(job: Job, channel: ChannelEntry): string {
  return job.snapshot.models[channel.model]!.id;
}

/** The version may be the client's own word too. */
function forwardedValues({ forward, versioned }: Way, clientHeaders: IncomingHttpHeaders): string[] {
  const names = versioned ? [...forward, MESSAGES_VERSION_HEADER] : forward;
  return names.map((name) => clientHeaders[name]).filter((value) => typeof value === 'string');
}
