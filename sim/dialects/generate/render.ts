/** Turns a completion into an answer, a stream of answers, or a count of tokens. */
import { type Choice, type Completion, fragments } from '../../answer/completion.ts';
import type { SimRequest } from '../../answer/request.ts';
import type { RenderedStream, StreamEvent } from '../dialect.ts';
import { type Own, ownOf } from './request.ts';
import { makeSignature } from './signature.ts';

type Part = Readonly<Record<string, unknown>>;

const FINISH: Readonly<Record<Choice['finish'], string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  // Calls are an ordinary end here.
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
};
/** Ends that come of a call the model got wrong: there is no call to show. */
const CALLS_LOST = ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'];

/** The whole answer, or the count, as indented JSON. */
export function renderBody(completion: Completion, request: SimRequest): string {
  return `${JSON.stringify(bodyOf(completion, request), null, 2)}\n`;
}

function bodyOf(completion: Completion, request: SimRequest): object {
  const { input, output, reasoning } = completion.usage;
  if (request.operation === 'count_tokens') {
    return { totalTokens: input, promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }] };
  }
  const own = ownOf(request);
  const block = blockOf(completion, own);
  if (block !== null) return blocked(completion, block);
  const candidates = completion.choices.map((choice) => ({
    content: contentOf(wholeParts(choice, completion, own)),
    ...ending(choice, own),
    index: choice.index,
    ...logprobsOf(choice.text, request.logprobs),
  }));
  return { candidates, ...foot(completion, output - reasoning, reasoning) };
}

function wholeParts(choice: Choice, completion: Completion, own: Own): Part[] {
  const text = choice.text.join('') + choice.refusal.join('');
  const thoughts = showsThoughts(choice, own) ? choice.reasoning.join('') : '';
  return [
    ...(thoughts === '' ? [] : [{ text: thoughts, thought: true }]),
    ...(text === '' ? [] : [{ text, ...textSignature(choice, completion) }]),
    ...callParts(choice, completion, own),
  ];
}

/** Sealed thoughts are in the signature alone. */
function showsThoughts(choice: Choice, own: Own): boolean {
  return own.includeThoughts && !choice.sealed && choice.reasoning.length > 0;
}

/** The first of several calls bears the signature. */
function callParts(choice: Choice, completion: Completion, own: Own): Part[] {
  if (callsLost(own)) return [];
  return choice.toolCalls.map((call, i) => ({
    functionCall: {
      ...(own.traits.ids ? { id: call.id } : {}),
      name: call.name,
      args: JSON.parse(call.input) as unknown,
    },
    ...(i === 0 ? { thoughtSignature: makeSignature(completion.model, call.id) } : {}),
  }));
}

/** Text that was thought about is signed too. */
function textSignature(choice: Choice, completion: Completion): Part {
  if (choice.reasoning.length === 0) return {};
  return { thoughtSignature: makeSignature(completion.model, `${completion.id}.${choice.index}`) };
}

/**
 * The stream's chunks: for each candidate an opening one without content, then one a piece or call. The last one says
 * why the answer ended: with its last text, or after calls, filters and nothing at all in a chunk of its own.
 */
export function renderStream(completion: Completion, request: SimRequest, finish: boolean): RenderedStream {
  const own = ownOf(request);
  // In an array the closing bracket is what says that all has been said; events have no such thing.
  const terminator = own.form === 'array' ? { data: CLOSING, content: false } : null;
  const block = blockOf(completion, own);
  if (block !== null) {
    return { events: [{ data: chunkText(blocked(completion, block), own), content: false }], terminator };
  }
  const writer = new ChunkWriter(completion, own, finish);
  for (const choice of completion.choices) writeChoice(writer, choice, completion, request);
  return { events: writer.close(), terminator };
}

/** Stands for the end of the array. */
export const CLOSING = ']';

function writeChoice(writer: ChunkWriter, choice: Choice, completion: Completion, request: SimRequest): void {
  const own = ownOf(request);
  const shown = showsThoughts(choice, own);
  writer.chunk(choice, [{ text: '', ...(shown ? { thought: true } : {}) }]);
  for (const piece of choice.reasoning) {
    writer.thoughts += 1;
    if (shown) writer.chunk(choice, [{ text: piece, thought: true }], { content: true });
  }
  const text = [...choice.refusal, ...choice.text];
  const calls = callParts(choice, completion, own);
  const ends = calls.length === 0 && choice.finish !== 'content_filter' && own.traits.finish === null;
  for (const [i, piece] of text.entries()) {
    writer.candidates += 1;
    const last = i === text.length - 1;
    const part = { text: piece, ...(last ? textSignature(choice, completion) : {}) };
    const more = logprobsOf([piece], request.logprobs);
    writer.chunk(choice, [part], { content: true, ends: last && ends, more });
  }
  for (const [i, part] of calls.entries()) {
    writer.candidates += 2 + fragments(choice.toolCalls[i]?.input ?? '').length;
    writer.chunk(choice, [part], { content: true });
  }
  if (text.length === 0 || !ends) writer.chunk(choice, calls.length > 0 ? [{ text: '' }] : [], { ends: true });
}

/** Writes chunks, each with the usage up to it. */
class ChunkWriter {
  thoughts = 0;
  candidates = 0;
  readonly #completion: Completion;
  readonly #own: Own;
  readonly #finish: boolean;
  readonly #events: StreamEvent[] = [];

  constructor(completion: Completion, own: Own, finish: boolean) {
    this.#completion = completion;
    this.#own = own;
    this.#finish = finish;
  }

  chunk(
    choice: Choice,
    parts: readonly Part[],
    { content = false, ends = false, more = {} }: { content?: boolean; ends?: boolean; more?: object } = {},
  ): void {
    const every = this.#own.traits.finishEvery && !ends ? { finishReason: 'STOP' } : {};
    const candidate = {
      ...(parts.length > 0 ? { content: contentOf(parts) } : {}),
      ...(this.#finish ? (ends ? ending(choice, this.#own) : every) : {}),
      index: choice.index,
      ...more,
    };
    const body = { candidates: [candidate], ...foot(this.#completion, this.candidates, this.thoughts) };
    this.#events.push({ data: chunkText(body, this.#own), content });
  }

  close(): readonly StreamEvent[] {
    return this.#events;
  }
}

/** Events hold one line; elements of the array are indented, as whole answers are. */
function chunkText(chunk: object, own: Own): string {
  return own.form === 'array' ? JSON.stringify(chunk, null, 2) : JSON.stringify(chunk);
}

function contentOf(parts: readonly Part[]): object {
  return { ...(parts.length > 0 ? { parts } : {}), role: 'model' };
}

function ending(choice: Choice, own: Own): object {
  const reason = own.traits.finish ?? FINISH[choice.finish];
  return {
    finishReason: reason,
    ...(callsLost(own) ? { finishMessage: `The model's function call was lost: ${reason}.` } : {}),
    ...(reason === 'SAFETY'
      ? { safetyRatings: [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }] }
      : {}),
  };
}

function callsLost({ traits }: Own): boolean {
  return traits.finish !== null && CALLS_LOST.includes(traits.finish);
}

/** Why there is no candidate at all: this API refuses prompts, not in words. */
function blockOf(completion: Completion, own: Own): string | null {
  if (own.traits.block !== null) return own.traits.block;
  return completion.choices.every((choice) => choice.refusal.length > 0) ? 'PROHIBITED_CONTENT' : null;
}

function blocked(completion: Completion, reason: string): object {
  return { promptFeedback: { blockReason: reason }, ...foot(completion, null, 0) };
}

/** `candidates` and `thoughts` in tokens, up to here; null = none were written. */
function foot(completion: Completion, candidates: number | null, thoughts: number): object {
  const { input, cached } = completion.usage;
  return {
    usageMetadata: {
      promptTokenCount: input,
      ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
      ...(candidates === null ? {} : { candidatesTokenCount: candidates }),
      totalTokenCount: input + (candidates ?? 0) + thoughts,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
      ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    },
    modelVersion: completion.model,
    responseId: completion.id,
  };
}

function logprobsOf(pieces: readonly string[], alternatives: number | null): object {
  if (alternatives === null || pieces.length === 0) return {};
  const one = (token: string, logProbability: number, tokenId: number) => ({ token, tokenId, logProbability });
  return {
    avgLogprobs: -0.1,
    logprobsResult: {
      topCandidates: pieces.map((piece) => ({
        candidates: Array.from({ length: Math.max(1, alternatives) }, (_, i) =>
          one(i === 0 ? piece : `${piece}${i}`, -0.1 - i, 1000 + i),
        ),
      })),
      chosenCandidates: pieces.map((piece) => one(piece, -0.1, 1000)),
      logProbabilitySum: -0.1 * pieces.length,
    },
  };
}
