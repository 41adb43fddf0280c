/** Turns a completion into the body or the stream of the Chat Completions API. */
import { type Choice, type Completion, fragments, type ToolCall, type Usage } from '../../answer/completion.ts';
import type { SimRequest } from '../../answer/request.ts';
import type { StreamEvent } from '../dialect.ts';

const FINGERPRINT = 'fp_sim';

/** The whole answer as JSON text. */
export function renderBody(completion: Completion, request: SimRequest): string {
  const { id, created, model, usage } = completion;
  const choices = completion.choices.map((choice) => ({
    index: choice.index,
    message: renderMessage(choice),
    logprobs: request.logprobs === null ? null : logprobsOf(choice.text, request.logprobs),
    finish_reason: choice.finish,
  }));
  return JSON.stringify({
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created,
    model,
    choices,
    usage: renderUsage(usage),
    system_fingerprint: FINGERPRINT,
  });
}

function renderMessage(choice: Choice): Record<string, unknown> {
  const silent = choice.toolCalls.length > 0 || choice.refusal.length > 0;
  return {
    role: 'assistant',
    content: silent ? null : choice.text.join(''),
    refusal: choice.refusal.length > 0 ? choice.refusal.join('') : null,
    ...(choice.reasoning.length > 0 && !choice.sealed ? { reasoning_content: choice.reasoning.join('') } : {}),
    ...(choice.toolCalls.length > 0
      ? { tool_calls: choice.toolCalls.map((call) => renderCall(call, call.input)) }
      : {}),
  };
}

function renderCall(call: ToolCall, input: string): Record<string, unknown> {
  const { name } = call;
  const id = `call_${call.id}`;
  return call.kind === 'custom'
    ? { id, type: 'custom', custom: { name, input } }
    : { id, type: 'function', function: { name, arguments: input } };
}

/** The stream's events in order, without `[DONE]`. `finish: false` leaves the finish reasons out. */
export function renderStream(completion: Completion, request: SimRequest, finish = true): StreamEvent[] {
  const events: StreamEvent[] = [];
  const usage = request.includeUsage ? { usage: null } : {};
  const head = {
    id: `chatcmpl-${completion.id}`,
    object: 'chat.completion.chunk',
    created: completion.created,
    model: completion.model,
    system_fingerprint: FINGERPRINT,
  };
  const push = (
    index: number,
    delta: object,
    reason: string | null,
    content: boolean,
    logprobs: unknown = null,
  ): void => {
    const choices = [{ index, delta, logprobs, finish_reason: reason }];
    events.push({ data: JSON.stringify({ ...head, choices, ...usage }), content });
  };
  for (const choice of completion.choices) {
    const { index } = choice;
    push(index, { role: 'assistant', content: choice.toolCalls.length > 0 ? null : '', refusal: null }, null, false);
    // This API has no place for a thought nobody can read.
    for (const piece of choice.sealed ? [] : choice.reasoning) push(index, { reasoning_content: piece }, null, true);
    for (const piece of choice.refusal) push(index, { refusal: piece }, null, true);
    for (const piece of choice.text) {
      push(
        index,
        { content: piece },
        null,
        true,
        request.logprobs === null ? null : logprobsOf([piece], request.logprobs),
      );
    }
    for (const delta of callDeltas(choice.toolCalls)) push(index, { tool_calls: [delta] }, null, true);
    if (finish) push(index, {}, choice.finish, false);
  }
  if (request.includeUsage) {
    events.push({
      data: JSON.stringify({ ...head, choices: [], usage: renderUsage(completion.usage) }),
      content: false,
    });
  }
  return events;
}

function callDeltas(calls: readonly ToolCall[]): object[] {
  return calls.flatMap((call, index) => [
    { index, ...renderCall(call, '') },
    ...fragments(call.input).map((piece) =>
      call.kind === 'custom' ? { index, custom: { input: piece } } : { index, function: { arguments: piece } },
    ),
  ]);
}

function logprobsOf(pieces: readonly string[], alternatives: number): object {
  const one = (token: string, logprob: number) => ({ token, logprob, bytes: [...Buffer.from(token)] });
  const content = pieces.map((token) => ({
    ...one(token, -0.1),
    top_logprobs: Array.from({ length: Math.min(alternatives, 20) }, (_, i) =>
      one(i === 0 ? token : `${token}${i}`, -0.1 - i),
    ),
  }));
  return { content, refusal: null };
}

function renderUsage(usage: Usage): object {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 },
  };
}
