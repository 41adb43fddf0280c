/** The response object: whole answers, and what the events around a stream's content hold. */
import type { Completion, Usage } from '../../answer/completion.ts';
import type { SimRequest } from '../../answer/request.ts';
import { type OutputItem, outputOf, responseId } from './output.ts';
import { ownOf } from './own-request.ts';

export type Status = 'queued' | 'in_progress' | 'completed' | 'incomplete';

export type ResponseObject = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly status: Status;
  readonly output: readonly OutputItem[];
};

/** The response before it has said anything. */
export function emptyResponse(completion: Completion, request: SimRequest, status: Status): ResponseObject {
  return {
    id: responseId(completion),
    object: 'response',
    created_at: completion.created,
    status,
    error: null,
    incomplete_details: null,
    model: completion.model,
    output: [],
    service_tier: 'default',
    usage: null,
    ...ownOf(request).echo,
  };
}

/** The response at its end. */
export function finishedResponse(completion: Completion, request: SimRequest): ResponseObject {
  const reason = incompleteBecause(completion);
  return {
    ...emptyResponse(completion, request, reason === null ? 'completed' : 'incomplete'),
    ...(reason === null ? { completed_at: completion.created + 1 } : { incomplete_details: { reason } }),
    output: outputOf(completion, request),
    usage: usageOf(completion.usage),
  };
}

/** The answer's body: the whole response, or a promise of it; for `count_tokens` the count. */
export function renderBody(completion: Completion, request: SimRequest): string {
  if (request.operation === 'count_tokens') {
    return JSON.stringify({ object: 'response.input_tokens', input_tokens: request.promptTokens });
  }
  const whole = ownOf(request).background
    ? emptyResponse(completion, request, 'queued')
    : finishedResponse(completion, request);
  return JSON.stringify(whole);
}

function incompleteBecause({ choices }: Completion): string | null {
  const finish = choices[0]?.finish;
  return finish === 'length' ? 'max_output_tokens' : finish === 'content_filter' ? 'content_filter' : null;
}

function usageOf({ input, cached, output, reasoning }: Usage): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
