/**
 * What single models are known not to do, by patterns of their names at the provider. Data, dated: a newer model that
 * behaves otherwise gets a line of its own, above. Unknown models lack nothing.
 */
import type { Dialect } from '../core/wire-names.ts';

/** The words of `TargetFacts.lacks`. */
export type Lack =
  /** Is not called in this dialect at all, though its provider speaks it. */
  | 'dialect'
  /** Refuses `temperature`, `top_p` and `top_k`. */
  | 'temperature'
  /** A call can not be demanded, only offered. */
  | 'tools_forced'
  /** Never thinks, and refuses to be asked for thoughts. */
  | 'reasoning'
  /** Always thinks. */
  | 'reasoning_off'
  /** Takes no number of tokens for thinking; it is told how hard to think. */
  | 'thinking_budget'
  /** Can not be told how hard to think by a level's name; it takes a number of tokens. */
  | 'thinking_level'
  /** Can not be told how hard to think; it takes a number of tokens. */
  | 'adaptive_thinking'
  /** The last turn can not be the assistant's. */
  | 'prefill'
  /** Answers can not be held to a schema. */
  | 'json_schema'
  /** Not both at once: function tools, and answers in JSON. */
  | 'tools_with_format'
  /** Refuses `presence_penalty` and `frequency_penalty`. */
  | 'penalties'
  /** Gives one answer only. */
  | 'n'
  /** Tells no probabilities. */
  | 'logprobs'
  /** Old calls in a history have to come with the signature their maker gave them. */
  | 'unsigned_calls'
  /** Function tools and reasoning don't go together in Chat. */
  | 'chat_tools_with_reasoning'
  /** The limit of an answer is still called `max_tokens` in Chat. */
  | 'max_completion_tokens';

/** What is asked: a provider's type, the dialect spoken there, the model's name there. */
export interface Asked {
  readonly type: string;
  readonly dialect: Dialect;
  readonly model: string;
}

interface Quirk {
  /** Of the model's name. */
  readonly pattern: RegExp;
  readonly lacks: readonly Lack[];
  /** When it was looked up, `YYYY-MM-DD`. */
  readonly asOf: string;
  /** Absent = any. */
  readonly type?: string;
  readonly dialect?: Dialect;
}

/** The first that fits says it all, per family. */
type Family = readonly Quirk[];

const NOV = '2026-11-29';

/** Names as the vendor, clouds and relays write them: `claude-x`, `anthropic/claude-x`, `us.anthropic.claude-x-v1:0`. */
const MESSAGES_FAMILY: Family = [
  {
    pattern: /claude-(?:sonnet-5-5|opus-5-5|fable-5-[12])/,
    lacks: ['temperature', 'prefill', 'reasoning_off', 'thinking_budget', 'tools_forced'],
    asOf: NOV,
  },
  { pattern: /claude-fable-5/, lacks: ['temperature', 'prefill', 'reasoning_off', 'thinking_budget'], asOf: NOV },
  { pattern: /claude-haiku-5-5/, lacks: ['temperature', 'prefill', 'thinking_budget'], asOf: NOV },
  { pattern: /claude-(?:opus-5|sonnet-5|opus-4-[78])/, lacks: ['temperature', 'prefill'], asOf: NOV },
  { pattern: /claude-(?:opus|sonnet)-4-6/, lacks: ['prefill'], asOf: NOV },
  { pattern: /claude-(?:opus|sonnet|haiku)-4-5|claude-opus-4-1/, lacks: ['adaptive_thinking'], asOf: NOV },
  {
    pattern: /claude-(?:(?:opus|sonnet)-4(?:$|[^0-9.])|3|instant|v?2)/,
    lacks: ['adaptive_thinking', 'json_schema'],
    asOf: NOV,
  },
  // What is newer than the list is like the newest of it.
  { pattern: /claude-/, lacks: ['temperature', 'prefill'], asOf: NOV },
];

const NAME = '(?:^|[/.:])';
const REASONS = ['temperature'] as const;

const CHAT_FAMILY: Family = [
  // Answers without thinking.
  { pattern: new RegExp(`${NAME}gpt-\\d+(?:\\.\\d+)?-chat`), lacks: ['reasoning'], asOf: NOV },
  { pattern: new RegExp(`${NAME}(?:gpt-[34]|chatgpt-)`), lacks: ['reasoning'], asOf: NOV },
  {
    pattern: new RegExp(`${NAME}gpt-6(?:\\.1-terra|-luna|-sol)`),
    lacks: [...REASONS, 'chat_tools_with_reasoning'],
    asOf: NOV,
  },
  {
    pattern: new RegExp(`${NAME}gpt-(?:[6-9]|\\d\\d)(?:\\D|$)`),
    lacks: [...REASONS, 'reasoning_off', 'chat_tools_with_reasoning'],
    asOf: NOV,
  },
  {
    pattern: new RegExp(`${NAME}gpt-5\\.(?:[6-9]|\\d\\d)(?:\\D|$)`),
    lacks: [...REASONS, 'chat_tools_with_reasoning'],
    asOf: NOV,
  },
  { pattern: new RegExp(`${NAME}gpt-5\\.\\d`), lacks: REASONS, asOf: NOV },
  { pattern: new RegExp(`${NAME}(?:gpt-5(?:\\D|$)|o[1-9](?:-|$))`), lacks: [...REASONS, 'reasoning_off'], asOf: NOV },
];

const GENERATE_FAMILY: Family = [
  { pattern: /(?:^|[/.])gemini-(?:[3-9]|\d\d)/, lacks: ['unsigned_calls'], asOf: NOV },
  { pattern: /(?:^|[/.])gemini-2\.5-pro/, lacks: ['reasoning_off', 'thinking_level', 'tools_with_format'], asOf: NOV },
  { pattern: /(?:^|[/.])gemini-[12]/, lacks: ['thinking_level', 'tools_with_format'], asOf: NOV },
];

/** What the same model takes at another address of its vendor. */
const AT_ONE_ADDRESS: Family = [{ type: 'gemini', pattern: /(?:^|[/.])gemini-2\.5/, lacks: ['penalties'], asOf: NOV }];

/** Of one dialect alone. */
const ONE_DIALECT: Family = [
  {
    dialect: 'openai-chat',
    pattern: new RegExp(
      `${NAME}(?:gpt-5-pro|gpt-5(?:\\.\\d+)?-codex|codex-|o[13]-pro|o\\d(?:-mini)?-deep-research|computer-use-preview)`,
    ),
    lacks: ['dialect'],
    asOf: NOV,
  },
  {
    dialect: 'openai-responses',
    pattern: new RegExp(`${NAME}(?:gpt-4o(?:-mini)?-(?:audio|search)-preview|gpt-audio|gpt-3\\.5-turbo-16k)`),
    lacks: ['dialect'],
    asOf: NOV,
  },
];

/** `strict-…` insists on what the newest models of each dialect insist on. */
const SIMULATED: Family = [
  { type: 'sim', dialect: 'openai-chat', pattern: /^strict-/, lacks: ['chat_tools_with_reasoning'], asOf: NOV },
  { type: 'sim', dialect: 'openai-responses', pattern: /^strict-/, lacks: ['temperature'], asOf: NOV },
  { type: 'sim', dialect: 'gemini', pattern: /^strict-/, lacks: ['unsigned_calls'], asOf: NOV },
  {
    type: 'sim',
    dialect: 'anthropic',
    pattern: /^strict-/,
    lacks: ['temperature', 'prefill', 'reasoning_off', 'thinking_budget', 'tools_forced'],
    asOf: NOV,
  },
  {
    type: 'sim',
    dialect: 'bedrock',
    pattern: /^strict-/,
    lacks: ['temperature', 'prefill', 'reasoning_off', 'thinking_budget', 'tools_forced'],
    asOf: NOV,
  },
];

const FAMILIES: readonly Family[] = [
  MESSAGES_FAMILY,
  CHAT_FAMILY,
  GENERATE_FAMILY,
  AT_ONE_ADDRESS,
  ONE_DIALECT,
  SIMULATED,
];

/** Where the newer name of the limit is the one that works. */
const NEW_LIMIT_TYPES: ReadonlySet<string> = new Set(['openai', 'azure-openai', 'sim', 'cerebras', 'groq', 'xai']);
/** Models that refuse the older name, whoever passes it on. */
const NEW_LIMIT_MODELS = new RegExp(`${NAME}(?:gpt-(?:[5-9]|\\d\\d)|o[1-9](?:-|$))`);

const NOTHING: ReadonlySet<string> = new Set();

/** What a model lacks where it is reached. */
export function lacksOf({ type, dialect, model }: Asked): ReadonlySet<string> {
  const lacks: Lack[] = [];
  for (const family of FAMILIES) {
    const quirk = family.find(
      (one) => (one.type ?? type) === type && (one.dialect ?? dialect) === dialect && one.pattern.test(model),
    );
    if (quirk !== undefined) lacks.push(...quirk.lacks);
  }
  const oldLimit = dialect === 'openai-chat' && !NEW_LIMIT_TYPES.has(type) && !NEW_LIMIT_MODELS.test(model);
  if (oldLimit) lacks.push('max_completion_tokens');
  return lacks.length === 0 ? NOTHING : new Set(lacks);
}
