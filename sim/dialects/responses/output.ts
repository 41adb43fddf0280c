/** The items of a response's `output`: a thought, a message, calls. */
import type { Choice, Completion, ToolCall } from '../../answer/completion.ts';
import type { SimRequest } from '../../answer/request.ts';
import { ownOf } from './own-request.ts';
import { seal } from './sealed-thought.ts';

export interface ReasoningItem {
  readonly id: string;
  readonly type: 'reasoning';
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[];
  readonly encrypted_content?: string;
}

export type MessagePart = TextPart | { readonly type: 'refusal'; readonly refusal: string };

export interface TextPart {
  readonly type: 'output_text';
  readonly annotations: readonly [];
  readonly logprobs: readonly object[];
  readonly text: string;
}

export interface MessageItem {
  readonly id: string;
  readonly type: 'message';
  readonly status: 'in_progress' | 'completed' | 'incomplete';
  readonly content: readonly MessagePart[];
  readonly role: 'assistant';
}

export type CallItem = {
  readonly id: string;
  readonly status: 'in_progress' | 'completed';
  readonly call_id: string;
  readonly name: string;
} & (
  | { readonly type: 'function_call'; readonly arguments: string }
  | { readonly type: 'custom_tool_call'; readonly input: string }
);

export type OutputItem = ReasoningItem | MessageItem | CallItem;

/** Id of the response that tells a completion. */
export function responseId(completion: Completion): string {
  return `resp_${nameOf(completion)}`;
}

/** Everything the model put out, finished. The API answers in one choice. */
export function outputOf(completion: Completion, request: SimRequest): OutputItem[] {
  const choice = completion.choices[0];
  if (choice === undefined) return [];
  const name = nameOf(completion);
  const thought = choice.reasoning.length > 0 ? [reasoningItem(choice, `rs_${name}`, request)] : [];
  if (choice.toolCalls.length > 0) return [...thought, ...choice.toolCalls.map(callItem)];
  return [...thought, messageItem(choice, `msg_${name}`, request)];
}

function nameOf(completion: Completion): string {
  return completion.id.replaceAll('-', '_');
}

function reasoningItem(choice: Choice, id: string, request: SimRequest): ReasoningItem {
  const { summary, sealed } = ownOf(request);
  return {
    id,
    type: 'reasoning',
    summary: summary && !choice.sealed ? [{ type: 'summary_text', text: choice.reasoning.join('') }] : [],
    ...(sealed ? { encrypted_content: seal(id) } : {}),
  };
}

function messageItem(choice: Choice, id: string, request: SimRequest): MessageItem {
  const cut = choice.finish === 'length' || choice.finish === 'content_filter';
  const part: MessagePart =
    choice.refusal.length > 0
      ? { type: 'refusal', refusal: choice.refusal.join('') }
      : textPart(choice.text, request.logprobs);
  return { id, type: 'message', status: cut ? 'incomplete' : 'completed', content: [part], role: 'assistant' };
}

/** A text part; `alternatives` null = no logprobs were asked for. */
export function textPart(pieces: readonly string[], alternatives: number | null): TextPart {
  return { type: 'output_text', annotations: [], logprobs: logprobsOf(pieces, alternatives), text: pieces.join('') };
}

export function logprobsOf(pieces: readonly string[], alternatives: number | null): object[] {
  if (alternatives === null) return [];
  const one = (token: string, logprob: number) => ({ token, logprob, bytes: [...Buffer.from(token)] });
  return pieces.map((token) => ({
    ...one(token, -0.1),
    top_logprobs: Array.from({ length: alternatives }, (_, i) => one(i === 0 ? token : `${token}${i}`, -0.1 - i)),
  }));
}

function callItem(call: ToolCall): CallItem {
  const { id, name, input } = call;
  const common = { status: 'completed', call_id: `call_${id}`, name } as const;
  return call.kind === 'custom'
    ? { id: `ctc_${id}`, type: 'custom_tool_call', ...common, input }
    : { id: `fc_${id}`, type: 'function_call', ...common, arguments: input };
}
