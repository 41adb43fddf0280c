/** P-8: notes what an answer left at an upstream account, and finds the account again. */
import type { Snapshot } from '../config/snapshot.ts';
import { gatewayError } from '../core/errors/catalogue.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { Target } from '../core/failover/plan-types.ts';
import { quotedName } from '../core/quoted-name.ts';
import { good, type Read } from '../core/request/read.ts';
import type { ClientRequest, ClientSide } from '../dialects/contract.ts';
import type { BoundState, Home } from '../ports/bound-state.ts';
import type { AnswerGate, FinishedAnswer } from './answer-gate.ts';
import type { AttemptTrace } from './attempt-trace.ts';
import { arriving } from './elsewhere.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import type { DataRoute } from './reception.ts';

/** Providers keep answers for 30 days, videos for less. */
const LIFE_MS = 30 * 24 * 60 * 60 * 1000;
/** No answer has as many things in it that could be named later. */
const MOST_IDS = 256;

/** What an answer names, as it is to be noted; empty = nothing. */
function statesOf(gateway: Gateway, { snapshot, workspace }: Job, { attempt, planned }: AttemptTrace): BoundState[] {
  const ids = attempt.tap?.stateIds ?? attempt.answer?.stateIds ?? [];
  if (ids.length === 0) return [];
  const { model, channel, credential } = planned.target;
  const at = gateway.storeClock.wall();
  const home = {
    model: snapshot.models[model]!.id,
    channel: snapshot.channels[channel]!.id,
    credential: credential === null ? null : snapshot.credentials[credential]!.name,
  };
  return ids.slice(0, MOST_IDS).map((id) => ({ workspace, id, ...home, at, expiresAt: at + LIFE_MS }));
}

/** Behind a served answer: nobody waits for it, and it is found at once; in other processes a moment later. */
export function noteStates(gateway: Gateway, job: Job, trace: AttemptTrace | undefined): void {
  if (trace === undefined || isNotedBefore(job.route)) return;
  const states = statesOf(gateway, job, trace);
  if (states.length === 0) return;
  gateway.bound.note(states, 'soon').catch((error: unknown) => gateway.reportBug(error, job.identity.requestId));
}

/** Notes what an answer names before its client hears of it, then asks the gate behind it. */
export class NotingGate implements AnswerGate {
  readonly #gateway: Gateway;
  readonly #job: Job;
  readonly #inner: AnswerGate | null;

  constructor(gateway: Gateway, job: Job, inner: AnswerGate | null) {
    this.#gateway = gateway;
    this.#job = job;
    this.#inner = inner;
  }

  async keep(answer: FinishedAnswer): Promise<GatewayError | null> {
    const { trace } = answer;
    const refused = trace === undefined ? null : await noteBefore(this.#gateway, this.#job, trace);
    return refused ?? (await this.#inner?.keep(answer)) ?? null;
  }
}

/** A job that nobody can be led back to would be lost, and paid for. Null = it is noted, or there is nothing to note. */
async function noteBefore(gateway: Gateway, job: Job, trace: AttemptTrace): Promise<GatewayError | null> {
  const states = statesOf(gateway, job, trace);
  if (states.length === 0) return null;
  try {
    await gateway.bound.note(states, 'now');
    return null;
  } catch {
    const message =
      'the upstream began the job, but where it lives could not be written down, so that nobody could ask for it later; sending this again begins another one';
    return gatewayError('store_unavailable', message);
  }
}

/** Its answers are shown only once what they name is durable. */
export function isNotedBefore({ operation }: Pick<DataRoute, 'operation'>): boolean {
  return operation === 'video';
}

/** Its requests may name what was made here. Chat completions are kept nowhere: the usual request is not looked at. */
export function mayNameState({ codec, operation }: Pick<DataRoute, 'codec' | 'operation'>): boolean {
  return codec.dialect !== 'openai-chat' || operation !== 'generate';
}

/** Where what a request names lives; null = it names nothing, or nothing that was made here (`checkNamedState` judges). */
export async function homeNamedBy(
  gateway: Gateway,
  codec: ClientSide,
  workspace: string,
  request: ClientRequest,
): Promise<Read<Home | null>> {
  const id = codec.namedState(request)?.id ?? null;
  return id === null ? good(null) : findHome(gateway, workspace, id);
}

export async function findHome(gateway: Gateway, workspace: string, id: string): Promise<Read<Home | null>> {
  const wall = gateway.clock.wall();
  try {
    return good(await arriving(gateway, () => gateway.bound.find(workspace, id, gateway.storeClock.wall())));
  } catch {
    const message = `it cannot be looked up right now where ${quotedName(id, 100)} lives; send the request again`;
    return {
      ok: false,
      error: gatewayError('store_unavailable', message, { shouldRetry: true, retryAt: wall + 1000 }),
    };
  }
}

/** Whether a target is that account, under this configuration. */
export function isHome(snapshot: Snapshot, home: Home): (target: Target) => boolean {
  return ({ model, channel, credential }) =>
    snapshot.models[model]?.id === home.model &&
    snapshot.channels[channel]?.id === home.channel &&
    (credential === null ? null : snapshot.credentials[credential]?.name) === home.credential;
}
