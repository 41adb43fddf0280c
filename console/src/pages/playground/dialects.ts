/** How each client dialect is asked one question, and where its answers keep their words. */

export const DIALECTS = ['chat', 'responses', 'messages', 'generate'] as const;
export type DialectName = (typeof DIALECTS)[number];

interface Question {
  readonly model: string;
  readonly text: string;
  readonly stream: boolean;
}

interface Dialect {
  readonly path: (question: Question) => string;
  readonly body: (question: Question) => object;
  readonly headers: Readonly<Record<string, string>>;
  /** The words of a whole answer. */
  readonly textOf: (answer: Json) => string;
  /** The words that one event of a stream adds. */
  readonly deltaOf: (event: Json) => string;
  /** Whether this event's data is the end mark of a stream that is whole. */
  readonly isEnd: (data: string, event: Json) => boolean;
}

type Json = unknown;

/** What lies at a path of names and places; undefined where the way ends early. */
function at(value: Json, ...way: readonly (string | number)[]): Json {
  let here = value;
  for (const step of way) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Readonly<Record<string | number, unknown>>)[step];
  }
  return here;
}

const words = (value: Json): string => (typeof value === 'string' ? value : '');
const all = (value: Json, of: (item: Json) => string): string => (Array.isArray(value) ? value.map(of).join('') : '');

/** An answer here is a try: longer ones cost money and say no more. */
const MOST_TOKENS = 1024;

const BY_NAME: Readonly<Record<DialectName, Dialect>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: ({ model, text, stream }) => ({ model, stream, messages: [{ role: 'user', content: text }] }),
    headers: {},
    textOf: (answer) => words(at(answer, 'choices', 0, 'message', 'content')),
    deltaOf: (event) => words(at(event, 'choices', 0, 'delta', 'content')),
    isEnd: (data) => data === '[DONE]',
  },
  responses: {
    path: () => '/v1/responses',
    body: ({ model, text, stream }) => ({ model, stream, input: text, store: false }),
    headers: {},
    textOf: (answer) =>
      all(at(answer, 'output'), (item) => all(at(item, 'content'), (part) => words(at(part, 'text')))),
    deltaOf: (event) => (at(event, 'type') === 'response.output_text.delta' ? words(at(event, 'delta')) : ''),
    isEnd: (_data, event) => ['response.completed', 'response.incomplete'].includes(words(at(event, 'type'))),
  },
  messages: {
    path: () => '/v1/messages',
    body: ({ model, text, stream }) => ({
      model,
      stream,
      max_tokens: MOST_TOKENS,
      messages: [{ role: 'user', content: text }],
    }),
    headers: { 'anthropic-version': '2023-06-01' },
    textOf: (answer) => all(at(answer, 'content'), (block) => words(at(block, 'text'))),
    deltaOf: (event) => words(at(event, 'delta', 'text')),
    isEnd: (_data, event) => at(event, 'type') === 'message_stop',
  },
  generate: {
    path: ({ model, stream }) =>
      `/v1beta/models/${encodeURIComponent(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: ({ text }) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
    headers: {},
    textOf: (answer) => all(at(answer, 'candidates', 0, 'content', 'parts'), (part) => words(at(part, 'text'))),
    deltaOf: (event) => all(at(event, 'candidates', 0, 'content', 'parts'), (part) => words(at(part, 'text'))),
    isEnd: (_data, event) => at(event, 'candidates', 0, 'finishReason') !== undefined,
  },
};

export function dialectOf(name: DialectName): Dialect {
  return BY_NAME[name];
}

/** JSON, or undefined where a text is none. */
export function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
