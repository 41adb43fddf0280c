/** A request that gets what another one's run came to: joined while it runs, replayed afterwards (I-4, I-6). */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { mayCall } from '../../core/request/allowed-models.ts';
import { bad } from '../../core/request/read.ts';
import { resolveRequest } from '../../core/request/resolve-request.ts';
import type { ClientRequest } from '../../dialects/contract.ts';
import type { Cancel } from '../../ports/clock.ts';
import type { StoredAnswer } from '../../ports/idempotency-store.ts';
import type { HeaderList } from '../delivery.ts';
import type { Gateway } from '../gateway.ts';
import { keepAliveRule } from '../keep-alive.ts';
import { NO_MODEL } from '../ladder/rungs.ts';
import { preparedFor } from '../prepared.ts';
import type { Principal } from '../principal.ts';
import { type Reception, reject } from '../reception.ts';
import type { KeyedFacts } from '../request-draft.ts';
import type { KeyedAsk } from './ask.ts';
import type { JoinableRun } from './joinable-run.ts';
import type { Reader, ReaderEnd } from './reader.ts';
import { inProgress } from './refusals.ts';
import { answerHeaders, Spool } from './spool.ts';

/** Who follows. */
export interface Follower {
  readonly reception: Reception;
  readonly principal: Principal;
  readonly request: ClientRequest;
  readonly ask: KeyedAsk;
  readonly reader: Reader;
  /** When it began to ask for its key, monotonic ms. */
  readonly since: number;
  /** Whether it got everything, once that is known; null = nobody asks, its key is its own. */
  readonly reached: Promise<boolean> | null;
}

/**
 * Waits for the run's answer and gets it from the start, failure included. False = it has to look again: a client has
 * left, or the run was refused for what concerns nobody but its own client key, its limits for example (G-11).
 */
export async function join(gateway: Gateway, follower: Follower, run: JoinableRun): Promise<boolean> {
  const { reception, principal, request, reader } = follower;
  // Which models it reaches is known a moment after it has its round.
  const models = sharesKeys(principal) ? await run.planned : [];
  const isOwn = run.clientKey === principal.key.name;
  const cannot = reader.isOver || run.isLeft || (models === null && !isOwn);
  const refused = cannot ? null : forbidden(follower, models ?? []);
  if (cannot || refused !== null) run.passedBy?.();
  if (cannot) return false;
  const { round, requestId } = run.own;
  const facts: KeyedFacts = {
    key_hash: run.ask.ref.keyHash,
    state: 'running',
    round,
    role: 'joiner',
    digest: null,
    original_request_id: requestId,
  };
  if (refused !== null) {
    refuse(gateway, follower, refused, facts);
    return true;
  }
  // Whoever runs it here ends it: a drain must not end it twice.
  if (run.abandoned === undefined) reception.live.release();
  reception.log.keyed(facts);
  if (request.stream) gateway.metrics.streamOpened();
  try {
    reader.attach(run.spool, originHeaders(requestId));
    if (run.passedBy !== undefined) run.spool.onGone(() => run.passedBy?.());
    const end = run.abandoned === undefined ? await reader.done : await endElsewhere(gateway, follower, run);
    if (end === 'abandoned') return false;
    const result = end.kind === 'gone' ? null : await run.settled;
    facts.state = run.state;
    if (end.kind === 'whole') facts.digest = run.digest;
    reception.log.followed({
      ...endOf(end, 'joined'),
      servedModel: result?.servedModel ?? null,
      degradedReasons: result?.degradedReasons ?? [],
    });
  } finally {
    if (request.stream) gateway.metrics.streamClosed();
  }
  return true;
}

/** Its own patience bounds the wait for another process's run; a stream that has begun has time. */
async function endElsewhere(
  gateway: Gateway,
  { reception, request, ask, reader, since }: Follower,
  run: JoinableRun,
): Promise<ReaderEnd | 'abandoned'> {
  const keepAlive = keepAliveRule(reception.snapshot, reception.route.codec, request);
  if (keepAlive !== null && !run.spool.headersSent) reader.startKeepAlive(keepAlive);
  let cancel: Cancel = () => undefined;
  const impatient = new Promise<'late'>((resolve) => {
    cancel = gateway.clock.after(since + ask.patienceMs - gateway.clock.now(), () => resolve('late'));
  });
  const abandoned = run.abandoned?.then(() => 'abandoned' as const);
  const first = await Promise.race([reader.done, impatient, ...(abandoned === undefined ? [] : [abandoned])]);
  cancel();
  if (first === 'abandoned') {
    reader.unattach();
    return first;
  }
  if (first !== 'late' || run.spool.headersSent) return first === 'late' ? reader.done : first;
  return reader.refuse(inProgress(gateway.clock.wall()));
}

export interface Earlier {
  readonly round: number;
  readonly requestId: string;
  readonly answer: StoredAnswer;
}

/** Sends the stored success again, streams as streams. */
export async function replay(gateway: Gateway, follower: Follower, earlier: Earlier): Promise<void> {
  const { reception, request, ask, reader } = follower;
  const { round, requestId, answer } = earlier;
  const facts: KeyedFacts = {
    key_hash: ask.ref.keyHash,
    state: 'succeeded',
    round,
    role: 'replay',
    digest: null,
    original_request_id: requestId,
  };
  const refused = forbidden(follower, answer.servedModel === null ? [] : [answer.servedModel]);
  if (refused !== null) return refuse(gateway, follower, refused, facts);
  reception.live.release();
  reception.log.keyed(facts);
  reader.attach(spoolOf(answer), [...originHeaders(requestId), 'idempotent-replayed', 'true']);
  const end = await reader.done;
  if (end.kind === 'whole') {
    facts.digest = answer.digest;
    noteDelivered(gateway, follower, round);
  }
  const isDegraded = answer.headers['x-understudy-degraded'] === 'true';
  const reason = answer.servedModel === request.model ? 'request' : 'model';
  reception.log.followed({
    ...endOf(end, 'replayed'),
    servedModel: answer.servedModel,
    degradedReasons: isDegraded ? [reason] : [],
  });
}

/** I-10: once its client has it whole, the next equal request that is no retry is a new one. */
export function noteDelivered(gateway: Gateway, { ask, reached }: Pick<Follower, 'ask' | 'reached'>, round: number) {
  void reached?.then((whole) => {
    if (whole) gateway.keyed.store.delivered(ask.ref, round);
  });
}

function sharesKeys({ key }: Principal): boolean {
  return key.idempotency.scope === 'workspace';
}

/** Where keys are shared by a workspace, nobody gets through another's run what he may not call himself (G-3). */
function forbidden({ reception, principal, request }: Follower, models: readonly string[]): GatewayError | null {
  const { key } = principal;
  if (!sharesKeys(principal)) return null;
  const { http, snapshot, route } = reception;
  const resolved = resolveRequest(request, http.headers, preparedFor(snapshot).rulesOf(key), route);
  // A model that is gone meanwhile is another matter: an answer stays one.
  if (!resolved.ok && resolved.error.status === 403) return resolved.error;
  const foreign = models.find((model) => model !== NO_MODEL && !mayCall(key.models, model));
  if (foreign === undefined) return null;
  const refused = bad(
    'model_not_allowed',
    `this key may not call ${foreign}, which answers under this Idempotency-Key`,
  );
  return refused.ok ? null : refused.error;
}

function refuse(gateway: Gateway, { reception }: Follower, error: GatewayError, facts: KeyedFacts): void {
  reception.log.keyed({ ...facts, role: 'refused' });
  reject(gateway, reception, error);
}

function originHeaders(requestId: string): HeaderList {
  return ['x-understudy-original-request-id', requestId];
}

/** A failure that was joined is a failure: only successes are `joined` and `replayed`. */
function endOf({ kind, status, error }: ReaderEnd, good: 'joined' | 'replayed') {
  if (kind === 'gone') return { status: 499, ending: 'client_closed', error: null } as const;
  if (kind === 'whole') return { status, ending: good, error: null } as const;
  return { status, ending: status === 200 ? 'interrupted' : 'failed', error } as const;
}

function spoolOf(answer: StoredAnswer): Spool {
  const spool = Spool.of(answer.body);
  spool.open(answer.status, answerHeaders(answer));
  spool.end(null);
  return spool;
}
