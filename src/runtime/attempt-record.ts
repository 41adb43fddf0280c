/** The attempts' and candidates' part of the record: from what the driver remembers to the log's shape. */

import { type Plan, SKIP_REASONS } from '../core/failover/plan-types.ts';
import type { AttemptRecord, CandidateCodes, UsageRecord } from '../core/record.ts';
import { shownMs } from '../core/shown-ms.ts';
import type { NanoUsd, Usage } from '../core/usage/usage.ts';
import type { AttemptTrace } from './attempt-trace.ts';
import { isoTime } from './iso-time.ts';
import type { Job } from './job.ts';
import type { FailoverRun } from './run-failover.ts';
import { leftOutOf, lossOf } from './served-answer.ts';

/** The upstream's counts; what it left out is estimated by what was seen, and marked (T-6, G-4). */
export function usageRecord(usage: Usage | null): UsageRecord | null {
  if (usage === null) return null;
  const record: UsageRecord = {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cached_tokens: usage.cacheRead,
    reasoning_tokens: usage.reasoning,
  };
  return usage.estimated ? { ...record, estimated: true } : record;
}

/** An amount as the record shows it: a number holds every one up to nine million dollars exactly. */
export function amountRecord(amount: NanoUsd | null): number | null {
  return amount === null ? null : Number(amount);
}

/** of its request, and of what became of its answer. */
function changesOf({ changes, attempt }: AttemptTrace): readonly string[] {
  const lost = lossOf(attempt).map((name) => `answer: dropped ${name}`);
  const leftOut = leftOutOf(attempt).map((name) => `answer: ${name} left out`);
  return lost.length + leftOut.length === 0 ? changes : [...changes, ...lost, ...leftOut];
}

/** One attempt as the request log keeps it (O-1), names and instants written out. */
export function attemptRecord(job: Job, trace: AttemptTrace): AttemptRecord {
  const { snapshot } = job;
  const { target } = trace.planned;
  const channel = snapshot.channels[target.channel]!;
  const { attempt, failure, bill } = trace;
  const endedAt = attempt.endedAt ?? attempt.startedAt;
  const record: AttemptRecord = {
    no: trace.no,
    id: trace.id,
    model: snapshot.models[target.model]!.id,
    channel: channel.id,
    credential: target.credential === null ? null : snapshot.credentials[target.credential]!.name,
    provider: channel.provider.name,
    upstream_model: channel.upstreamModel,
    started_at: isoTime(attempt.startedWall),
    sent_at: attempt.sentAt === null ? null : isoTime(attempt.startedWall + (attempt.sentAt - attempt.startedAt)),
    latency_ms: shownMs(endedAt - attempt.startedAt),
    ttft_ms: attempt.readyAt === null ? null : shownMs(attempt.readyAt - attempt.startedAt),
    status: attempt.status,
    result: trace.result,
    class: failure?.class ?? null,
    trigger: failure?.triggers[0] ?? null,
    triggers: failure?.triggers ?? [],
    provider_code: failure?.code ?? null,
    provider_message: failure?.message ?? null,
    provider_request_id: failure?.requestId ?? null,
    retry_after_ms: failure?.hint?.ms ?? null,
    retry_after_source: failure?.hint?.source ?? null,
    // F-2: what was sent and is not waited for may be carried out all the same.
    maybe_executed:
      failure?.maybeExecuted ?? (trace.result === 'cancelled' && attempt.sentAt !== null && attempt.answer === null),
    suspicious: attempt.suspicious,
    hedge: trace.role === 'hedge',
    decision: trace.decision,
    reason: trace.reason,
    changes: changesOf(trace),
    usage: usageRecord(bill?.usage ?? null),
    cost_nano_usd: amountRecord(bill === null ? 0n : bill.cost),
  };
  return trace.rehearsed ? { ...record, rehearsed: true } : record;
}

/** Models the request was not allowed to go on to, and would have needed (D-1, C-8). */
function barredModels(plan: Plan, run: FailoverRun): ReadonlySet<number> {
  const { options, verdict, modelPos } = run.state;
  const mayCross = options.crossModel && options.on.size > 0;
  if (mayCross || (verdict?.kind !== 'exhausted' && verdict?.kind !== 'stopped')) return NONE;
  return new Set(plan.models.slice(modelPos + 1).map((planned) => planned.model));
}

const NONE: ReadonlySet<number> = new Set();

/** Every candidate, tried or not, with its reason (P-7): the plan's, or the one found while the request ran. */
export function candidateCodes(plan: Plan, run: FailoverRun): CandidateCodes[] {
  const tried = new Set(run.traces.map((trace) => trace.planned.rank));
  const barred = barredModels(plan, run);
  return plan.candidates.map((candidate) => {
    const { model, channel, credential } = candidate.target;
    const met = run.state.spent.get(candidate.rank);
    const own = candidate.skip?.reason ?? (met === undefined || met === 'tried' ? null : met);
    const wasTried = tried.has(candidate.rank);
    const behind = candidate.throughOpenCircuit === true && !wasTried ? 'circuit_open' : null;
    const reason = own ?? (barred.has(model) ? 'cross_model_off' : behind);
    return [
      candidate.rank,
      model,
      channel,
      credential ?? -1,
      wasTried ? 1 : 0,
      reason === null ? -1 : SKIP_REASONS.indexOf(reason),
      candidate.skip?.availableAt ?? 0,
    ];
  });
}
