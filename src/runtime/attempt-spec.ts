/**
 * Builds one upstream call from the original request, never from a previous attempt: no field, header or credential
 * of one attempt can reach the next. Headers are only what the provider's row sets (G-10).
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ChannelEntry, CredentialEntry, ProviderEntry } from '../config/snapshot.ts';
import type { PlannedTarget } from '../core/failover/plan-types.ts';
import type { Lane, TargetFacts } from '../dialects/contract.ts';
import { laneOf } from '../dialects/lanes.ts';
import { attemptVeil } from './attempt-veil.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import { preparedFor } from './prepared.ts';
import type { AttemptSpec } from './run-attempt.ts';

const USER_AGENT = 'understudy/0.1';

/** What the engine allows an attempt. Lengths in ms. */
export interface AttemptLimits {
  /** Its number. */
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly firstTokenTimeoutMs: number | null;
  /** Output tokens to ask for instead of the client's own (D-5). */
  readonly extendTo?: number;
}

/**
 * Everything one call needs, from the client’s own request (G-1). `changes`: what was altered for this target, for the
 * record.
 */
export function attemptSpec(
  gateway: Gateway,
  job: Job,
  planned: PlannedTarget,
  limits: AttemptLimits,
): { readonly spec: AttemptSpec; readonly changes: readonly string[] } {
  const { snapshot, request, options } = job;
  const channel = snapshot.channels[planned.target.channel]!;
  const provider = channel.provider;
  const credential = planned.target.credential === null ? null : snapshot.credentials[planned.target.credential]!;
  const entry = job.chain.entries.find((candidate) => candidate.model === planned.target.model);
  const target = preparedFor(snapshot).factsOf(channel);
  const lane = openLane(gateway, job, channel, target);
  const body = lane.writeUpstream(request, {
    target,
    degrade: entry?.degrade ?? null,
    injectUsage: request.stream,
    ...(limits.extendTo === undefined ? {} : { outputTokens: limits.extendTo }),
  });
  const spec: AttemptSpec = {
    no: limits.attempt,
    upstream: {
      url: (credential?.baseUrl ?? provider.baseUrl) + job.upstreamPath,
      headers: upstreamHeaders(provider, credential, request.stream, job.clientHeaders),
      body: body.bytes,
      connectTimeoutMs: provider.connectTimeoutMs,
      proxy: provider.proxy?.reveal() ?? null,
      guard: credential?.baseUrl != null && credential.managedBy === 'store' ? snapshot.network : null,
    },
    lane,
    vocabulary: provider.vocabulary,
    ...attemptVeil(gateway, request, credential, forwardedValues(provider, job.clientHeaders)),
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
  return { spec, changes: body.changes };
}

/** Its own for this attempt, as far as it keeps anything of one. */
function openLane(gateway: Gateway, job: Job, channel: ChannelEntry, target: TargetFacts): Lane {
  const { dialect, name } = channel.provider;
  const pair = laneOf(job.route.codec, dialect);
  if (pair === null) throw new Error(`no way to provider ${name}: the configuration lets only spoken dialects through`);
  const { request, identity } = job;
  const createdAt = gateway.clock.wall();
  return pair.open({ request, target, servedModel: modelName(job, channel), id: identity.requestId, createdAt });
}

function modelName(job: Job, channel: ChannelEntry): string {
  return job.snapshot.models[channel.model]!.id;
}

function upstreamHeaders(
  provider: ProviderEntry,
  credential: CredentialEntry | null,
  stream: boolean,
  clientHeaders: IncomingHttpHeaders,
): string[] {
  const list = ['content-type', 'application/json', 'accept', stream ? 'text/event-stream' : 'application/json'];
  list.push('user-agent', USER_AGENT);
  if (credential !== null) {
    if (provider.auth === 'bearer') list.push('authorization', `Bearer ${credential.secret.reveal()}`);
    else if (provider.auth !== 'none') list.push(provider.auth, credential.secret.reveal());
  }
  // The operator's headers may hold the operator's secrets: not for an address that a workspace chose.
  if (credential?.baseUrl == null) {
    for (const [name, value] of Object.entries(provider.headers)) list.push(name, value);
  }
  for (const name of provider.forwardHeaders) {
    const value = clientHeaders[name];
    if (typeof value === 'string') list.push(name, value);
  }
  return list;
}

function forwardedValues({ forwardHeaders }: ProviderEntry, clientHeaders: IncomingHttpHeaders): string[] {
  return forwardHeaders.map((name) => clientHeaders[name]).filter((value) => typeof value === 'string');
}
