/** Whole answers as the streams that would have led to them. */
import { frame } from '../../../sim/dialects/converse/frames.ts';
import type { Dialect } from '../../../src/core/wire-names.ts';
import type { Body } from './left-unsaid.ts';

type Json = Record<string, unknown>;

const asList = (value: unknown): Json[] =>
  (Array.isArray(value) ? value : []).filter((one): one is Json => typeof one === 'object' && one !== null);
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (type: string, more: object): string => `event: ${type}\n${data({ type, ...more })}`;

function chat({ choices, ...body }: Body): string {
  const told = asList(choices).map(({ message, ...choice }) => ({ ...choice, delta: withIndexes(message as Json) }));
  return `${data({ ...body, choices: told })}data: [DONE]\n\n`;
}

/** Calls are told apart by their place. */
function withIndexes(message: Json): Json {
  const calls = message['tool_calls'];
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call: Json, index) => ({ index, ...call })) };
}

function responses(body: Body): string {
  const items = asList(body['output']);
  const opening = { ...body, output: [], status: 'in_progress' };
  return [
    event('response.created', { response: opening }),
    ...items.flatMap((item, output_index) => [
      event('response.output_item.added', { output_index, item: { ...item, content: [] } }),
      event('response.output_item.done', { output_index, item }),
    ]),
    event('response.completed', { response: body }),
  ].join('');
}

function messages(body: Body): string {
  const { content, stop_reason, stop_sequence, usage, stop_details, ...message } = body;
  return [
    event('message_start', { message: { ...message, content: [], stop_reason: null, usage } }),
    ...asList(content).flatMap(({ citations, ...block }, index) => [
      event('content_block_start', { index, content_block: block }),
      ...asList(citations).map((citation) =>
        event('content_block_delta', { index, delta: { type: 'citations_delta', citation } }),
      ),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', { delta: { stop_reason, stop_sequence, stop_details }, usage }),
    event('message_stop', {}),
  ].join('');
}

function converse(body: Body): Buffer {
  const { output, stopReason, ...metadata } = body;
  const content = asList(((output as Json)['message'] as Json)['content']);
  const frames = content.flatMap((block, contentBlockIndex) => {
    const step = (name: string, more: object): Buffer => frame(name, JSON.stringify({ contentBlockIndex, ...more }));
    return [...stepsOf(block).map(([name, more]) => step(name, more)), step('contentBlockStop', {})];
  });
  return Buffer.concat([
    frame('messageStart', '{"role":"assistant"}'),
    ...frames,
    frame('messageStop', JSON.stringify({ stopReason })),
    frame('metadata', JSON.stringify(metadata)),
  ]);
}

function stepsOf(block: Json): [name: string, more: object][] {
  const delta = (value: object): [string, object] => ['contentBlockDelta', { delta: value }];
  const use = block['toolUse'] as Json | undefined;
  const cited = block['citationsContent'] as Json | undefined;
  const thought = block['reasoningContent'] as Json | undefined;
  if (use !== undefined) {
    const { input, ...start } = use;
    const begun = { start: { ...block, toolUse: start } };
    return [['contentBlockStart', begun], delta({ toolUse: { input: JSON.stringify(input) } })];
  }
  if (cited !== undefined) {
    const { content, citations, ...rest }: Json = { ...block, citationsContent: undefined, ...cited };
    const steps = [...asList(content).map(delta), ...asList(citations).map((citation) => delta({ citation }))];
    return Object.values(rest).some((value) => value !== undefined) ? [...steps, delta(rest)] : steps;
  }
  const plain = thought?.['reasoningText'] as Json | undefined;
  if (plain !== undefined) {
    return [delta({ ...block, reasoningContent: { ...thought, reasoningText: undefined, ...plain } })];
  }
  return [delta(block)];
}

export const STREAM_OF: ReadonlyMap<Dialect, (body: Body) => string | Buffer> = new Map<
  Dialect,
  (body: Body) => string | Buffer
>([
  ['openai-chat', chat],
  ['openai-responses', responses],
  ['anthropic', messages],
  ['gemini', data],
  ['bedrock', converse],
]);
