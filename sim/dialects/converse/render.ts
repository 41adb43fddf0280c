/** Turns a completion into a Converse answer, whole or as events. */
import { type Choice, type Completion, fragments } from '../../answer/completion.ts';
import type { SimRequest } from '../../answer/request.ts';
import type { RenderedStream, StreamEvent } from '../dialect.ts';
import { NO_TRAITS, type Traits } from './labels.ts';
import { sealThought, signatureOf } from './thoughts.ts';

/** The whole answer as JSON text. */
export function renderBody(completion: Completion, request: SimRequest): string {
  const [choice] = completion.choices;
  return JSON.stringify({
    output: { message: { role: 'assistant', content: choice === undefined ? [] : contentOf(choice) } },
    stopReason: stopReasonOf(choice, request),
    usage: usageOf(completion),
    metrics: { latencyMs: 42 },
  });
}

/** Events by name; `metadata` ends them, `messageStop` says why. */
export function renderStream(completion: Completion, request: SimRequest, finish: boolean): RenderedStream {
  const [choice] = completion.choices;
  const events: StreamEvent[] = [event('messageStart', { role: 'assistant' })];
  let contentBlockIndex = 0;
  const block = (deltas: readonly object[], start: object | null = null): void => {
    // A start shows a call; without one the first delta opens the block.
    if (start !== null) events.push(event('contentBlockStart', { contentBlockIndex, start }, true));
    for (const delta of deltas) events.push(event('contentBlockDelta', { contentBlockIndex, delta }, true));
    events.push({ ...event('contentBlockStop', { contentBlockIndex }), counted: false });
    contentBlockIndex += 1;
  };
  if (choice !== undefined) {
    if (choice.reasoning.length > 0) block(thoughtDeltas(choice));
    const words = wordsOf(choice);
    if (words.length > 0) block(words.map((text) => ({ text })));
    for (const { id, name, input } of choice.toolCalls) {
      const deltas = fragments(input).map((piece) => ({ toolUse: { input: piece } }));
      block(deltas, { toolUse: { toolUseId: `tooluse_${id}`, name } });
    }
  }
  if (finish) events.push(event('messageStop', { stopReason: stopReasonOf(choice, request) }));
  const terminator = event('metadata', { usage: usageOf(completion), metrics: { latencyMs: 42 } });
  return { events, terminator };
}

/** `p` pads events to hide how long their texts are. */
function event(name: string, fields: object, content = false): StreamEvent {
  return { name, data: JSON.stringify({ ...fields, p: 'abcdefgh' }), content };
}

function contentOf(choice: Choice): object[] {
  const content: object[] = [];
  if (choice.reasoning.length > 0) content.push({ reasoningContent: thoughtOf(choice) });
  const words = wordsOf(choice);
  if (words.length > 0) content.push({ text: words.join('') });
  const calls = choice.toolCalls.map(({ id, name, input }) => ({
    toolUse: { toolUseId: `tooluse_${id}`, name, input: JSON.parse(input) as unknown },
  }));
  return [...content, ...calls];
}

/** This API has no word for a refusal: it is said in words. */
function wordsOf(choice: Choice): readonly string[] {
  return choice.finish === 'content_filter' ? [] : [...choice.text, ...choice.refusal];
}

function thoughtOf(choice: Choice): object {
  const thought = choice.reasoning.join('');
  if (choice.sealed) return { redactedContent: sealThought(thought) };
  return { reasoningText: { text: thought, signature: signatureOf(thought) } };
}

function thoughtDeltas(choice: Choice): object[] {
  const thought = choice.reasoning.join('');
  if (choice.sealed) return [{ reasoningContent: { redactedContent: sealThought(thought) } }];
  const pieces = choice.reasoning.map((text) => ({ reasoningContent: { text } }));
  return [...pieces, { reasoningContent: { signature: signatureOf(thought) } }];
}

function stopReasonOf(choice: Choice | undefined, request: SimRequest): string {
  const told = ((request.own as Traits | null) ?? NO_TRAITS).finish;
  if (told !== null) return told;
  if (choice === undefined) return 'end_turn';
  if (choice.stoppedBy !== null) return 'stop_sequence';
  const reasons = {
    stop: 'end_turn',
    length: 'max_tokens',
    tool_calls: 'tool_use',
    content_filter: 'guardrail_intervened',
  };
  return reasons[choice.finish];
}

function usageOf({ usage }: Completion): object {
  const { input, cached, output } = usage;
  return {
    inputTokens: input - cached,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: 0,
  };
}
