/**
 * Asks for permits before a call and gives each back once: capabilities, health, the retry budget. All refuse here;
 * the engine decides what a refusal means.
 */
import type { EngineAction, RefusalReason } from '../core/failover/machine.ts';
import type { Failure } from '../core/failure.ts';
import type { Permit } from '../core/health/board.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';

export type AdmitAction = Extract<EngineAction, { readonly type: 'admit-attempt' }>;

/** What the engine is told; `availableAt` in wall ms. */
export type Answer =
  | { readonly type: 'admitted'; readonly attempt: number; readonly permits: number }
  | {
      readonly type: 'refused';
      readonly attempt: number;
      readonly reason: RefusalReason;
      readonly availableAt: number | null;
      readonly failure: Failure | null;
    };

export class Admission {
  readonly #gateway: Gateway;
  readonly #job: Job;
  /** By attempt number. */
  readonly #permits = new Map<number, Permit>();

  constructor(gateway: Gateway, job: Job) {
    this.#gateway = gateway;
    this.#job = job;
  }

  ask({ attempt, rank, role, draws, insist }: AdmitAction): Answer {
    const { board, retryBudget, clock, metrics } = this.#gateway;
    const planned = this.#job.planned(rank);
    const unfit = this.#job.unfit(planned.target);
    if (unfit !== null) return refused(attempt, 'incapable', null, unfit.failure);
    const keys = this.#job.healthKeys(planned.target);
    const now = clock.now();
    const answer = board.admit(keys, now, {
      throughOpen: planned.throughOpenCircuit || insist,
      throughBackoff: planned.throughBackoff ?? false,
      repeat: role === 'retry',
    });
    if (!answer.ok) {
      const availableAt = answer.availableAt === null ? null : clock.wall() + (answer.availableAt - now);
      return refused(attempt, answer.reason, availableAt, null);
    }
    if (draws && !retryBudget.tryRepeat(keys.channel, now)) {
      board.settle(answer.permit, { kind: 'neutral' }, now);
      metrics.retryBudgetRefused();
      return refused(attempt, 'retry_budget', null, null);
    }
    if (!draws) retryBudget.noteFirst(keys.channel, now);
    this.#permits.set(attempt, answer.permit);
    return { type: 'admitted', attempt, permits: 1 };
  }

  /** An attempt is over: its permit goes back, its outcome to the health board (H-1, H-2). */
  settle(attempt: number, result: 'served' | 'failed' | 'interrupted' | 'cancelled', failure: Failure | null): void {
    const permit = this.#permits.get(attempt);
    if (permit === undefined) return;
    this.#permits.delete(attempt);
    const { board, clock } = this.#gateway;
    const now = clock.now();
    if (result === 'served') board.settle(permit, { kind: 'success' }, now);
    else if (failure === null || result === 'cancelled') board.settle(permit, { kind: 'neutral' }, now);
    else board.settle(permit, { kind: 'failure', failure }, now);
  }

  /** The request is over, whatever still holds a permit. */
  releaseAll(): void {
    for (const attempt of [...this.#permits.keys()]) this.settle(attempt, 'cancelled', null);
  }
}

function refused(attempt: number, reason: RefusalReason, availableAt: number | null, failure: Failure | null): Answer {
  return { type: 'refused', attempt, reason, availableAt, failure };
}
