/** What a client is told of the answer it gets: who made it, how it differs from what was asked for, and the way there. */
import { attemptSummaries } from '../core/errors/final-error.ts';
import { buildReport } from '../core/report.ts';
import type { AnswerWrite } from '../dialects/contract.ts';
import type { HeaderList } from './delivery.ts';
import type { Job } from './job.ts';
import { EVENT_STREAM, servedHeaders, withBodyHeaders, withStreamHeaders } from './response-headers.ts';
import type { Attempt } from './run-attempt.ts';
import type { FailoverRun } from './run-failover.ts';

/** What an answer says of itself beside its content. */
export interface ServedAnswer {
  /** Id of the model that answered. */
  readonly model: string;
  /**
   * `model` = another one than was asked for, `request` = something was taken out of it, `answer` = something of the
   * answer had no place in the client's dialect; empty = none of them.
   */
  readonly degraded: readonly string[];
  /** The `understudy` object as JSON bytes; null = the answer goes out without one. */
  readonly report: Uint8Array | null;
}

/** Of the attempt that committed. `openedEarly`: keep-alives took the headers' place, so only a report can tell (T-11). */
export function describeAnswer(job: Job, run: FailoverRun, attempt: Attempt, openedEarly: boolean): ServedAnswer {
  const { chain, snapshot } = job;
  const trace = run.traces.find((candidate) => candidate.attempt === attempt)!;
  const model = snapshot.models[trace.planned.target.model]!.id;
  const degraded: string[] = [];
  if (model !== chain.requestedModel) degraded.push('model');
  if (trace.degrades) degraded.push('request');
  if (lossOf(attempt).length > 0) degraded.push('answer');
  const several = chain.entries.length > 1;
  if (!several && degraded.length === 0 && !openedEarly && !job.classic) return { model, degraded, report: null };
  const report = buildReport({
    requestId: job.identity.requestId,
    attempts: run.traces.length,
    requestedModel: chain.requestedModel,
    servedModel: model,
    degradedReasons: degraded,
    failover: several ? attemptSummaries(run.state) : null,
  });
  return { model, degraded, report: Buffer.from(JSON.stringify(report)) };
}

/** R-1's headers of a served answer, and those of its content. `length` in bytes; null = it is a stream. */
export function headersOf(
  { codec, request, identity }: Job,
  run: FailoverRun,
  told: { readonly served: ServedAnswer; readonly winner: Attempt; readonly length: number | null },
): HeaderList {
  const { served, winner, length } = told;
  const degraded = served.degraded.length > 0;
  const list = servedHeaders(identity, { servedModel: served.model, attempts: run.traces.length, degraded });
  if (length !== null) return withBodyHeaders(list, winner.answer?.raw?.contentType ?? 'application/json', length);
  return withStreamHeaders(list, winner.tap?.contentType ?? codec.streamType?.(request) ?? EVENT_STREAM);
}

/** What the client's dialect writes into the answer. */
export function answerWrite(job: Job, { model, report }: ServedAnswer): AnswerWrite {
  return { servedModel: model, report, classic: job.classic };
}

/** What of the answer had no place in the client's dialect, so far. */
export function lossOf({ answer, tap }: Pick<Attempt, 'answer' | 'tap'>): readonly string[] {
  return tap?.dropped ?? answer?.dropped ?? NOTHING;
}

/** The same of what takes nothing away: recorded alone. */
export function leftOutOf({ answer, tap }: Pick<Attempt, 'answer' | 'tap'>): readonly string[] {
  return tap?.leftOut ?? answer?.leftOut ?? NOTHING;
}

const NOTHING: readonly string[] = [];
