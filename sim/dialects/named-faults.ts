/**
 * Faults that a status doesn't tell: a gateway must know them by the words and codes of each dialect. The row of the
 * dialect's name, else the first one.
 */
import type { NamedFault } from '../answer/behaviour.ts';
import type { Fault, SimDialect } from './dialect.ts';

const FAULTS: Readonly<Record<NamedFault, { readonly usual: Fault } & Readonly<Record<string, Fault>>>> = {
  'too-long': {
    usual: {
      status: 400,
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
      param: 'messages',
      code: 'context_length_exceeded',
    },
    'openai-responses': {
      status: 400,
      message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
      param: 'input',
      code: 'context_length_exceeded',
    },
    anthropic: { status: 400, message: 'prompt is too long: 208310 tokens > 200000 maximum' },
    gemini: {
      status: 400,
      message: 'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
    },
    bedrock: { status: 400, message: 'Input is too long for requested model.' },
  },
  'no-credit': {
    usual: {
      status: 429,
      message: 'You exceeded your current quota, please check your plan and billing details.',
      code: 'insufficient_quota',
    },
    anthropic: { status: 400, message: 'Your credit balance is too low to access the API.' },
    gemini: { status: 429, message: 'Your prepayment credits are depleted. Please manage your project and billing.' },
    bedrock: { status: 429, message: 'Too many tokens per day, please wait before trying again.' },
  },
};

/** The fault in the dialect's words. */
export function namedFault(name: NamedFault, dialect: SimDialect): Fault {
  const rows = FAULTS[name];
  return rows[dialect.name] ?? rows.usual;
}
