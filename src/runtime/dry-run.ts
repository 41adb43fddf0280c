/**
 * What would become of a request: which targets in which order under which budgets, what is left out and why, and whether
 * it would be refused. Nobody is called; no turn, permit, limit or money is taken.
 */
import type { RunSetup } from '../core/failover/decide.ts';
import { type Failure, makeFailure, type Trigger } from '../core/failure.ts';
import { bad, good, type Read } from '../core/request/read.ts';
import { REHEARSE } from '../core/request/rehearsal.ts';
import type { ClientRequest } from '../dialects/contract.ts';
import { Admission } from './admission.ts';
import { callerRefusal } from './admit-caller.ts';
import { type Walk, walks } from './dry-walk.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import { restError } from './key-rests.ts';
import { makeJob } from './make-job.ts';
import { type PlanAnswer, planAnswer } from './plan-answer.ts';
import type { Principal } from './principal.ts';
import { type Arrival, drainingError } from './reception.ts';

/** One failure of each trigger, as an upstream would most likely make it. */
const SUPPOSED: Readonly<Record<Trigger, Failure>> = {
  rate_limit: makeFailure({ class: 'rate_limit', status: 429, message: 'rate limited' }),
  server_error: makeFailure({ class: 'server_error', status: 500, message: 'server error' }),
  timeout: makeFailure({ class: 'timeout', message: 'no answer in time', maybeExecuted: true, phase: 'sent' }),
  connection_error: makeFailure({ class: 'connection_error', message: 'no connection', phase: 'unsent' }),
};

/**
 * The plan of a request, or the error that refuses the request itself. `named`: credentials by name and every candidate,
 * for those who may see a routing trace (G-8).
 */
export function dryRun(
  gateway: Gateway,
  arrival: Arrival,
  principal: Principal,
  request: ClientRequest,
  named: boolean,
): Read<PlanAnswer> {
  if (arrival.http.headers['x-understudy-rehearse'] !== undefined) {
    return bad(
      'invalid_parameter',
      `a dry run calls nobody, so nothing can be rehearsed; leave ${REHEARSE} out`,
      REHEARSE,
    );
  }
  const { board, measurements, random, limits, rotation, affinity } = gateway;
  const standing = {
    board,
    measurements,
    random,
    limits,
    rotation: rotation.standing(),
    affinity: affinity.standing(),
  };
  const made = makeJob(gateway, arrival, principal, request, standing);
  if (!made.ok) return made;
  const job = made.value;
  const walked = walkAll(gateway, job);
  const refusal =
    (gateway.draining ? drainingError(gateway.clock.wall()) : null) ??
    restError(gateway, principal.key.name) ??
    callerRefusal(gateway, arrival, principal, request) ??
    refusalOf(walked.server_error);
  return good(planAnswer(job, { walks: walked, refusal, named }));
}

function walkAll(gateway: Gateway, job: Job): Readonly<Record<Trigger, Walk>> {
  const { plan, options } = job;
  const setup: RunSetup = {
    plan,
    options,
    keyed: false,
    actsUpstream: job.codec.actsUpstream(job.request),
    attemptOffset: 0,
    now: gateway.clock.now(),
  };
  const admission = new Admission(gateway, job);
  return walks({ setup, wall: gateway.clock.wall(), stream: job.request.stream, admission }, SUPPOSED);
}

/** What ends before the first call ends the same way whatever calls would come to. */
function refusalOf({ attempts, ends }: Walk) {
  return attempts.length === 0 ? ends : null;
}
