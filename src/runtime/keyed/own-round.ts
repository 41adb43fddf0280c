/** A request that runs its key's round: like a plain one, into a spool, with every step in the ledger (I-2, I-3, I-6). */
import { gatewayError } from '../../core/errors/catalogue.ts';
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { FailoverOptions } from '../../core/failover/options.ts';
import type { PlannedTarget } from '../../core/failover/plan-types.ts';
import { outcomeOf } from '../../core/outcome.ts';
import type { Cancel } from '../../ports/clock.ts';
import { admitCaller, leaveCaller } from '../admit-caller.ts';
import type { Gateway } from '../gateway.ts';
import type { Job } from '../job.ts';
import { keeperOf } from '../ladder/keeper.ts';
import { makeJob } from '../make-job.ts';
import { Relay, type RelayResult } from '../relay.ts';
import type { KeyedFacts } from '../request-draft.ts';
import { FailoverRun } from '../run-failover.ts';
import { type Follower, noteDelivered } from './follow.ts';
import type { KeyedRun } from './keyed-run.ts';
import { givenUp } from './refusals.ts';

/** Runs the round to its end, whatever becomes of its client. Never leaves it open. */
export async function runOwn(gateway: Gateway, leader: Follower, keyed: KeyedRun): Promise<void> {
  const { reception, reader } = leader;
  const { round, ref } = keyed.round.own;
  const facts: KeyedFacts = { key_hash: ref.keyHash, state: 'running', round, role: 'owner', digest: null };
  reception.log.keyed(facts);
  reader.attach(keyed.spool);
  try {
    const ran = await runAdmitted(gateway, leader, keyed);
    if (!('run' in ran)) {
      keyed.refuse({ error: ran.error, exhausted: false, release: true });
      facts.state = keyed.round.state;
      reception.log.rejected(ran.error);
      return;
    }
    const end = await reader.done;
    facts.state = keyed.round.state;
    if (end.kind === 'gone') {
      reception.log.finishedAlone(ran.run, ran.result);
      return;
    }
    if (end.kind === 'whole') {
      facts.digest = keyed.digest;
      noteDelivered(gateway, leader, round);
    }
    reception.log.finished(ran.run, { ...ran.result, status: end.status, error: end.error });
  } catch (error) {
    const fault = gatewayError('internal_error', 'a fault inside the gateway; report it with the request id');
    keyed.refuse({ error: fault, exhausted: false, release: false });
    throw error;
  }
}

type Ran =
  | { readonly run: FailoverRun; readonly result: RelayResult }
  /** Refused before anything ran. */
  | { readonly error: GatewayError };

/** The caller's limits hold until the answer is there: how slowly it is read concerns nobody else. */
async function runAdmitted(gateway: Gateway, leader: Follower, keyed: KeyedRun): Promise<Ran> {
  const { reception, principal, request } = leader;
  const asked = admitCaller(gateway, reception, principal, request);
  const admitted = asked instanceof Promise ? await asked : asked;
  if (!admitted.ok) return { error: admitted.error };
  try {
    const made = makeJob(gateway, reception, principal, request);
    if (!made.ok) return { error: made.error };
    return await runJob(gateway, leader, keyed, made.value);
  } finally {
    leaveCaller(gateway, reception, admitted.value);
  }
}

async function runJob(
  gateway: Gateway,
  { reception, reader, ask, since }: Follower,
  keyed: KeyedRun,
  job: Job,
): Promise<Ran> {
  const { log, live } = reception;
  log.planned(job);
  reader.patienceMs = job.options.stallTimeoutMs;
  keyed.plan(job.chain.entries.map(({ name }) => name));
  keyed.round.nameOf = (planned) => targetName(job, planned);
  // What the claim took is the client's time as well.
  keyed.round.deadlineAt = since + job.options.deadlineMs;
  const keeper = keeperOf(gateway, job);
  const relay = new Relay(gateway, job, keeper?.watch(keyed.spool) ?? keyed.spool, keyed);
  const { attemptsBefore } = keyed.round.own;
  const setup = {
    plan: job.plan,
    options: withinKey(job.options, ask.maxAttempts - attemptsBefore),
    keyed: true,
    actsUpstream: job.codec.actsUpstream(job.request),
    attemptOffset: attemptsBefore,
    now: since,
  };
  const run = new FailoverRun(gateway, job, setup, relay, keyed.round);
  live.running = { relay, run };
  keyed.stop = () => run.clientGone(false);
  const goesOn = ask.explicit && job.options.finishOnDisconnect;
  let cancelWatch: Cancel = () => undefined;
  const { stream } = job.request;
  if (stream) gateway.metrics.streamOpened();
  try {
    relay.armKeepAlive();
    run.begin();
    keyed.spool.onGone(() => {
      keyed.isLeft = !goesOn;
      run.clientGone(goesOn);
      cancelWatch();
      if (goesOn) cancelWatch = gateway.clock.after(job.options.deadlineMs, () => endAlone(keyed, run));
    });
    const result = await relay.result;
    correct(keyed, run, result);
    endRound(keyed, run, result, relay);
    keeper?.ended(run, result);
    return { run, result };
  } finally {
    cancelWatch();
    run.pay();
    if (stream) gateway.metrics.streamClosed();
  }
}

/**
 * Nothing else ends a stream that goes on and on (T-3); where its last reader has left so long ago, nobody will come back
 * for it, and it would hold its call, its spool and its caller's limits for ever.
 */
function endAlone(keyed: KeyedRun, run: FailoverRun): void {
  if (!keyed.spool.gone) return;
  keyed.isLeft = true;
  run.clientGone(false);
}

/** The key's lifetime budget bounds each of its rounds (I-7). */
function withinKey(options: FailoverOptions, left: number): FailoverOptions {
  return left >= options.maxAttempts ? options : { ...options, maxAttempts: Math.max(1, left) };
}

/** A good answer that could not be kept: whatever was shown of it has broken off, the rest is waste (I-3, T-4). */
function correct({ spool }: KeyedRun, { traces }: FailoverRun, { error }: RelayResult): void {
  const served = error === null ? undefined : traces.find(({ result }) => result === 'served');
  if (served === undefined) return;
  const shown = spool.bytesSent > 0;
  served.result = shown ? 'interrupted' : 'late_success';
  if (!shown && served.bill !== null) served.bill = { ...served.bill, delivered: false };
}

/** Without effect where the answer has been kept. */
function endRound(keyed: KeyedRun, run: FailoverRun, result: RelayResult, relay: Relay): void {
  const { verdict } = result;
  const error = result.error ?? givenUp();
  keyed.fail({ error, exhausted: verdict.kind === 'retry_exhausted', release: isCallersFault(run, result) });
  keyed.settle(result);
  // Nobody was there to be told (T-6); whoever has come since is.
  if (result.error === null && keyed.round.state !== 'succeeded') {
    keyed.spool.fail(error, run.traces.length, relay.frameOf(error));
  }
}

/** I-5: what ended so was never the upstream's doing, and the same key may carry the corrected request. */
function isCallersFault(run: FailoverRun, { error, verdict, status }: RelayResult): boolean {
  if (error === null || (verdict.kind !== 'stopped' && verdict.kind !== 'exhausted')) return false;
  const last = run.traces.findLast(({ failure }) => failure !== null)?.failure ?? null;
  const refused = verdict.kind === 'stopped' && verdict.failure.class === 'gateway_rejected';
  const failure = refused ? verdict.failure : last;
  const outcome = outcomeOf({
    status: error.status ?? status,
    ending: 'failed',
    errorCode: error.code,
    failureClass: failure?.class ?? null,
    maybeExecuted: run.traces.some(({ failure: one }) => one?.maybeExecuted === true),
    content: null,
  });
  return outcome === 'client_error';
}

/** `MODEL#CHANNEL@CREDENTIAL`. */
function targetName({ snapshot }: Job, { target }: PlannedTarget): string {
  const model = snapshot.models[target.model]?.id ?? '';
  const channel = snapshot.channels[target.channel]?.id ?? '';
  const credential = target.credential === null ? '' : `@${snapshot.credentials[target.credential]?.name ?? ''}`;
  return `${model}#${channel}${credential}`;
}
