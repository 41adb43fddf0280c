/** Tokens counted by the gateway itself, where no channel of the model has a count to give. */
import type { FailoverState } from '../../core/failover/machine.ts';
import { fairInputTokens } from '../../core/money/estimate.ts';
import type { Job } from '../job.ts';
import { measureRequest } from '../measure-request.ts';
import { preparedFor } from '../prepared.ts';
import { NO_MODEL, type StandIn } from './rungs.ts';

/** Null = it is no count, or a channel could have given it. `code`: of the error the request would end with. */
export function countEstimate(job: Job, { modelPos }: FailoverState, code: string | null): StandIn | null {
  const { route, codec, request } = job;
  const { estimated } = route;
  if (estimated === undefined || code !== 'unsupported_model_api' || isCountedSomewhere(job, modelPos)) return null;
  const tokens = fairInputTokens(measureRequest(request, codec.asks(request, null).mediaParts), null);
  return {
    servedModel: NO_MODEL,
    degradedReasons: ['estimated'],
    render: (write) => codec.writeAnswer(estimated(tokens), write),
  };
}

function isCountedSomewhere({ plan, route, snapshot }: Job, modelPos: number): boolean {
  const model = plan.models[modelPos]?.model;
  const prepared = preparedFor(snapshot);
  const channels = plan.candidates.filter(({ target }) => target.model === model).map(({ target }) => target.channel);
  return channels.some((channel) => prepared.wayTo(route, snapshot.channels[channel]!).pair !== null);
}
