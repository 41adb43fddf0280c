/** The answer of a healthy model, before it becomes bytes: deterministic by seed, model and number of the call. */
import { hashText, type Random, seededRandom } from '../random.ts';
import type { Behaviour, Content } from './behaviour.ts';
import { fitSchema } from './fit-schema.ts';
import type { OfferedTool, SimRequest } from './request.ts';

export interface ToolCall {
  /** Without the dialect's prefix. */
  readonly id: string;
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly input: string;
}

export interface Choice {
  readonly index: number;
  /** The pieces a stream sends; joined they are the text. */
  readonly text: readonly string[];
  readonly reasoning: readonly string[];
  /** Nobody but its maker can read the reasoning. */
  readonly sealed: boolean;
  readonly refusal: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  /** The text of the request's stop list that ended it; it is not in `text`. */
  readonly stoppedBy: string | null;
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'content_filter';
}

export interface Completion {
  /** Without the dialect's prefix. */
  readonly id: string;
  /** Seconds since 1970; made of the call's number, not of the clock. */
  readonly created: number;
  readonly model: string;
  readonly choices: readonly Choice[];
  readonly usage: Usage;
}

/** Tokens, each kind within the larger one: `cached` in `input`, `reasoning` in `output`. */
export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

const WORDS = (
  'answer bridge candle delta ember forest garden harbor island juniper kettle lantern meadow north orchard pebble ' +
  'quiet river signal timber under valley winter yellow zenith'
).split(' ');
const FIRST_CREATED = 1_760_000_000;

/** Composes the answer. `call` counts the model's calls: two calls never get the same answer. */
export function composeCompletion(request: SimRequest, behaviour: Behaviour, seed: number, call: number): Completion {
  const source = hashText(`${request.model}/${call}`, seed);
  const random = seededRandom(source);
  const name = `${source.toString(16).padStart(8, '0')}${call}`;
  const choices = Array.from({ length: request.n }, (_, index) =>
    limited(stopped(composeChoice(request, behaviour, random, index, name), request), request.maxTokens),
  );
  const reasoning = sum(choices.map((choice) => choice.reasoning.length));
  const output = reasoning + sum(choices.map(countOutput));
  return {
    id: `sim-${name}`,
    created: FIRST_CREATED + call,
    model: request.model,
    choices,
    usage: { input: request.promptTokens, cached: 0, output, reasoning },
  };
}

function composeChoice(request: SimRequest, behaviour: Behaviour, random: Random, index: number, name: string): Choice {
  const content = behaviour.content ?? 'text';
  const reasoning = request.reasoning || content === 'reasoning' || content === 'sealed' ? sentence(random, 6) : [];
  const choice: Choice = {
    index,
    text: [],
    // A model that was not asked to think aloud shows no thought before its calls.
    reasoning: request.reasoning ? reasoning : [],
    sealed: content === 'sealed',
    refusal: [],
    toolCalls: [],
    stoppedBy: null,
    finish: 'stop',
  };
  const tools = chosenTools(request, content);
  if (tools.length > 0) {
    const toolCalls = tools.map((tool, i) => callTool(tool, `sim_${name}_${index}_${i}`));
    return { ...choice, toolCalls, finish: 'tool_calls' };
  }
  switch (content) {
    case 'empty':
      return choice;
    case 'refusal':
      return { ...choice, refusal: pieces('I am sorry, but the simulator was told to refuse.') };
    case 'filter':
      return { ...choice, text: sentence(random, 3), finish: 'content_filter' };
    case 'length':
      return { ...choice, text: sentence(random, behaviour.words ?? 8), finish: 'length' };
    case 'echo':
      return { ...choice, text: pieces(request.lastUserText) };
    case 'reasoning':
    case 'sealed':
      return { ...choice, reasoning, text: textFor(request, random, behaviour) };
    default:
      return { ...choice, text: textFor(content === 'json' ? asJson(request) : request, random, behaviour) };
  }
}

function asJson(request: SimRequest): SimRequest {
  return request.schema === null ? { ...request, schema: {} } : request;
}

function textFor(request: SimRequest, random: Random, behaviour: Behaviour): string[] {
  if (request.schema === null) return sentence(random, behaviour.words ?? 6 + Math.floor(random() * 6));
  const fitted = fitSchema(request.schema);
  const bare = typeof fitted === 'object' && fitted !== null && Object.keys(fitted).length === 0;
  const described = typeof request.schema === 'object' && Object.keys(request.schema ?? {}).length > 0;
  return fragments(JSON.stringify(bare && !described ? { answer: sentence(random, 4).join('') } : fitted));
}

/** `tools` calls what it is offered, once: after a tool's result it answers in words. A forced choice always calls. */
function chosenTools(request: SimRequest, content: Content): readonly OfferedTool[] {
  const { tools, toolChoice } = request;
  if (toolChoice === 'none') return [];
  if (typeof toolChoice === 'object') return tools.filter((tool) => tool.name === toolChoice.name).slice(0, 1);
  if (toolChoice === 'required' && content !== 'tools') return tools.slice(0, 1);
  if (content !== 'tools' || (toolChoice === 'auto' && request.lastRole === 'tool')) return [];
  return tools.slice(0, request.parallelTools ? 2 : 1);
}

function callTool(tool: OfferedTool, id: string): ToolCall {
  const { kind, name, parameters } = tool;
  const input = kind === 'custom' ? 'simulated input' : JSON.stringify(fitSchema(parameters ?? { type: 'object' }));
  return { id, kind, name, input };
}

/** Ends an answer in words where one of the caller's stop texts begins. */
function stopped(choice: Choice, request: SimRequest): Choice {
  if (request.stop.length === 0 || choice.text.length === 0) return choice;
  const text = choice.text.join('');
  let end = text.length;
  let stoppedBy: string | null = null;
  for (const stop of request.stop) {
    const at = stop === '' ? -1 : text.indexOf(stop);
    if (at < 0 || at >= end) continue;
    end = at;
    stoppedBy = stop;
  }
  if (stoppedBy === null) return choice;
  return { ...choice, text: pieces(text.slice(0, end)), stoppedBy, finish: 'stop' };
}

/** The caller's limit on output counts pieces. */
function limited(choice: Choice, most: number | null): Choice {
  if (most === null || countOutput(choice) + choice.reasoning.length <= most) return choice;
  const left = Math.max(0, most - choice.reasoning.length);
  return {
    ...choice,
    reasoning: choice.reasoning.slice(0, most),
    text: choice.text.slice(0, left),
    refusal: choice.refusal.slice(0, left),
    toolCalls: [],
    stoppedBy: null,
    finish: 'length',
  };
}

function countOutput(choice: Choice): number {
  const inputs = choice.toolCalls.map((call) => 2 + fragments(call.input).length);
  return choice.text.length + choice.refusal.length + sum(inputs);
}

function sentence(random: Random, words: number): string[] {
  return Array.from({ length: words }, (_, i) => {
    const word = WORDS[Math.floor(random() * WORDS.length)] ?? 'word';
    return `${i === 0 ? `${word[0]?.toUpperCase()}${word.slice(1)}` : ` ${word}`}${i === words - 1 ? '.' : ''}`;
  });
}

/** Words with the space before them. */
function pieces(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

/** Cuts JSON text into the small fragments a tokenizer would make. Never inside a surrogate pair. */
export function fragments(text: string): string[] {
  return text.match(/.{1,6}/gsu) ?? [];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
