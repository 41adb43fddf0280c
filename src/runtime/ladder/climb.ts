/** Climbs E-4's ladder for a request whose run has ended without an answer: the first rung that can, answers. */
import { finalError } from '../../core/errors/final-error.ts';
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { FailoverState } from '../../core/failover/machine.ts';
import type { Rung } from '../../core/ladder/rungs.ts';
import { climbs } from '../../core/ladder/when.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import type { Delivery } from '../delivery.ts';
import type { Gateway } from '../gateway.ts';
import type { Job } from '../job.ts';
import { countEstimate } from './count-estimate.ts';
import { enqueue, type Queued } from './enqueue.ts';
import { busyError, keptAnswer, type StandIn, staticStandIn } from './rungs.ts';
import { type Served, serveStandIn, tellQueued } from './stand-in.ts';

/** What the ladder did: it answered, or it has another error for the client. */
export type Rescue = Served | { readonly error: GatewayError };

/** The slowest that a rung may be: a hanging disk must not hang the request. */
const RUNG_MS = 3000;

/** Null = the request ends as it would have. Never rejects. */
export async function climb(
  gateway: Gateway,
  job: Job,
  run: { readonly state: FailoverState; readonly attempts: number },
  delivery: Delivery,
): Promise<Rescue | null> {
  const error = finalError(run.state, { wallNow: gateway.clock.wall() });
  if (delivery.gone) return null;
  const counted = countEstimate(job, run.state, error.code);
  if (counted !== null) return serveStandIn(job, delivery, counted, run);
  if (!climbs(run.state, error.code)) return null;
  for (const rung of job.options.onExhausted) {
    const rescue = await step(gateway, job, run, { rung, error, delivery });
    if (rescue !== null || delivery.gone) return rescue;
  }
  return null;
}

interface Step {
  readonly rung: Rung;
  readonly error: GatewayError;
  readonly delivery: Delivery;
}

async function step(
  gateway: Gateway,
  job: Job,
  { state, attempts }: { readonly state: FailoverState; readonly attempts: number },
  { rung, error, delivery }: Step,
): Promise<Rescue | null> {
  try {
    if (rung.kind === 'busy') return { error: busyError(error, gateway.clock.wall()) };
    if (rung.kind === 'queue') {
      const asked = enqueue(gateway, job, { state, error, maxTries: rung.tries });
      const withdraw = ({ id }: Queued): Promise<void> => gateway.ladder.jobs.withdraw(id);
      const queued = await inTime(gateway, asked, withdraw);
      if (queued === null) return null;
      if (!delivery.gone) return tellQueued(job, delivery, queued, attempts);
      await withdraw(queued);
      return null;
    }
    const standIn = await find(gateway, job, rung);
    return standIn === null ? null : serveStandIn(job, delivery, standIn, { state, attempts });
  } catch (fault) {
    // The state can't be read or written now: the next rung may not need it.
    if (!(fault instanceof StateStoreUnavailable)) gateway.reportBug(fault, job.identity.requestId);
    return null;
  }
}

function find(
  gateway: Gateway,
  job: Job,
  rung: Extract<Rung, { kind: 'cache' | 'default' }>,
): Promise<StandIn | null> | StandIn | null {
  if (rung.kind === 'default') return staticStandIn(gateway, job, rung.name);
  return inTime(gateway, keptAnswer(gateway, job, rung.maxAgeMs));
}

/** Null where it takes too long; what comes of it later is given to `late`. */
function inTime<T extends StandIn | Queued>(
  gateway: Gateway,
  asked: Promise<T | null>,
  late: (found: T) => Promise<void> | void = () => undefined,
): Promise<T | null> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const cancel = gateway.clock.after(RUNG_MS, () => {
      isLate = true;
      resolve(null);
    });
    const settle = async (): Promise<void> => {
      const found = await asked;
      cancel();
      resolve(found);
      if (isLate && found !== null) await late(found);
    };
    settle().catch((error: unknown) => {
      cancel();
      reject(error as Error);
    });
  });
}
