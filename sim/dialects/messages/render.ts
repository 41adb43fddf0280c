/** Turns a completion into a message, whole or as events. */
import { type Choice, type Completion, fragments, type ToolCall } from '../../answer/completion.ts';
import type { SimRequest } from '../../answer/request.ts';
import type { RenderedStream, StreamEvent } from '../dialect.ts';
import { type MessagesOwn, NO_OWN } from './request.ts';
import { sealThought, signatureOf } from './thoughts.ts';

/** A block of the answer: whole, as it starts in a stream, and the steps that fill it. */
interface AnswerBlock {
  readonly whole: object;
  readonly start: object;
  /** The start itself already shows something. */
  readonly startShows: boolean;
  readonly deltas: readonly Delta[];
}

interface Delta {
  readonly delta: object;
  /** False: goes out with the one before it. */
  readonly counted: boolean;
}

/** The whole message as JSON text, or the count alone. */
export function renderBody(completion: Completion, request: SimRequest): string {
  if (request.operation === 'count_tokens') return JSON.stringify({ input_tokens: completion.usage.input });
  const [choice] = completion.choices;
  return JSON.stringify({
    ...opening(completion),
    content: choice === undefined ? [] : blocksOf(choice, request).map((block) => block.whole),
    ...endingOf(choice, request),
    usage: { ...inputUsage(completion, request), ...outputUsage(completion), service_tier: 'standard' },
  });
}

/** Events by name; `message_stop` ends them. */
export function renderStream(completion: Completion, request: SimRequest, finish: boolean): RenderedStream {
  const [choice] = completion.choices;
  const events: StreamEvent[] = [];
  const push = (name: string, fields: object, content = false, counted = true): void => {
    const data = JSON.stringify({ type: name, ...fields });
    events.push({ name, data, content, ...(counted ? {} : { counted: false as const }) });
  };
  push('message_start', {
    message: {
      ...opening(completion),
      content: [],
      ...NOT_YET,
      usage: { ...inputUsage(completion, request), output_tokens: 1, service_tier: 'standard' },
    },
  });
  const blocks = choice === undefined ? [] : blocksOf(choice, request);
  blocks.forEach((block, index) => {
    push('content_block_start', { index, content_block: block.start }, block.startShows, block.startShows);
    if (index === 0) push('ping', {}, false, false);
    for (const { delta, counted } of block.deltas) push('content_block_delta', { index, delta }, counted, counted);
    push('content_block_stop', { index }, false, false);
  });
  if (finish) {
    const usage = { ...inputUsage(completion, request), ...outputUsage(completion) };
    push('message_delta', { delta: endingOf(choice, request), usage });
  }
  return { events, terminator: { name: 'message_stop', data: '{"type":"message_stop"}', content: false } };
}

function opening({ id, model }: Completion): object {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model };
}

const NOT_YET = { stop_reason: null, stop_sequence: null, stop_details: null };

/** Why it ended. */
function endingOf(choice: Choice | undefined, request: SimRequest): object {
  if (choice === undefined) return NOT_YET;
  const { finish: told } = ownOf(request);
  if (told === 'refusal') return refusing(null, null);
  if (told !== null) return { ...NOT_YET, stop_reason: told };
  const { finish, stoppedBy, refusal } = choice;
  if (finish === 'content_filter') return refusing('cyber', null);
  if (refusal.length > 0 && finish === 'stop') return refusing(null, refusal.join(''));
  const reasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' };
  const reason = stoppedBy === null ? reasons[finish] : 'stop_sequence';
  return { stop_reason: reason, stop_sequence: stoppedBy, stop_details: null };
}

function refusing(category: string | null, explanation: string | null): object {
  return { stop_reason: 'refusal', stop_sequence: null, stop_details: { type: 'refusal', category, explanation } };
}

function inputUsage({ usage }: Completion, request: SimRequest): object {
  const { cacheRead, cacheCreated } = ownOf(request);
  return {
    input_tokens: usage.input - cacheRead - cacheCreated,
    cache_creation_input_tokens: cacheCreated,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: cacheCreated, ephemeral_1h_input_tokens: 0 },
  };
}

function outputUsage({ usage }: Completion): object {
  return { output_tokens: usage.output, output_tokens_details: { thinking_tokens: usage.reasoning } };
}

function blocksOf(choice: Choice, request: SimRequest): AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  if (choice.reasoning.length > 0) blocks.push(thoughtOf(choice, ownOf(request).hidden));
  // What the filter stopped is not shown; what the model says instead of an answer is.
  const words = choice.finish === 'content_filter' ? [] : [...choice.text, ...choice.refusal];
  if (words.length > 0) blocks.push(textOf(words));
  return [...blocks, ...choice.toolCalls.map(callOf)];
}

function thoughtOf(choice: Choice, hidden: boolean): AnswerBlock {
  const thought = choice.reasoning.join('');
  if (choice.sealed) {
    const whole = { type: 'redacted_thinking', data: sealThought(thought) };
    return { whole, start: whole, startShows: true, deltas: [] };
  }
  const shown = hidden ? [] : choice.reasoning;
  const thinking = shown.join('');
  const signature = signatureOf(thinking);
  return {
    whole: { type: 'thinking', thinking, signature },
    start: { type: 'thinking', thinking: '', signature: '' },
    startShows: false,
    deltas: [
      ...shown.map((piece) => ({ delta: { type: 'thinking_delta', thinking: piece }, counted: true })),
      // Without the thought its signature is the first thing a reader gets.
      { delta: { type: 'signature_delta', signature }, counted: hidden },
    ],
  };
}

function textOf(words: readonly string[]): AnswerBlock {
  return {
    whole: { type: 'text', text: words.join('') },
    start: { type: 'text', text: '' },
    startShows: false,
    deltas: words.map((text) => ({ delta: { type: 'text_delta', text }, counted: true })),
  };
}

function callOf(call: ToolCall): AnswerBlock {
  const start = { type: 'tool_use', id: `toolu_${call.id}`, name: call.name };
  const piece = (text: string, counted: boolean) => ({
    delta: { type: 'input_json_delta', partial_json: text },
    counted,
  });
  return {
    whole: { ...start, input: JSON.parse(call.input) as unknown },
    start: { ...start, input: {} },
    startShows: true,
    deltas: [piece('', false), ...fragments(call.input).map((text) => piece(text, true))],
  };
}

/** A request answered before it was read has none. */
function ownOf(request: SimRequest): MessagesOwn {
  return request.own === null ? NO_OWN : (request.own as MessagesOwn);
}

/** The beginning that a good answer leaves with the provider; null = none. */
export function prefixOf(request: SimRequest): string | null {
  return ownOf(request).prefix;
}
