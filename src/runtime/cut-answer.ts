/** What the engine is told of a whole answer that its length cut off, where a longer one is wished for (D-5). */
import type { CutAnswer } from '../core/failover/machine.ts';
import type { Target } from '../core/failover/plan-types.ts';
import type { Answer } from '../dialects/contract.ts';
import type { AttemptTrace } from './attempt-trace.ts';
import type { Job } from './job.ts';
import { preparedFor } from './prepared.ts';

/** Null = it is not cut, or nobody wants it longer. Streams are served as they come. */
export function cutAnswer(job: Job, { attempt, planned, role }: AttemptTrace): CutAnswer | null {
  const { options, request, codec } = job;
  const { answer } = attempt;
  if (options.onTruncated === null || request.stream || answer === null || !codec.isCut(answer)) return null;
  const length = answer.contentBytes;
  // The longer answer is cut as well: that is as long as it gets.
  const extendTo = role === 'extend' ? null : longerThan(job, planned.target, answer);
  if (extendTo === null || options.maxCostNanoUsd === null) return { length, extendTo };
  return { length, extendTo, worstCost: job.money.worstCost(planned.target, extendTo) };
}

function longerThan(
  { snapshot, codec, request, chain }: Job,
  { model, channel }: Target,
  answer: Answer,
): number | null {
  const most = preparedFor(snapshot).outputLimitOf(snapshot.channels[channel]!);
  const degrade = chain.entries.find((entry) => entry.model === model)?.degrade ?? null;
  return codec.longerOutput(request, degrade, answer, most);
}
