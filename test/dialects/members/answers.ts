/** Whole answers of upstreams that hold, one by one, every member and every alternative which their libraries declare. */
import type { Dialect } from '../../../src/core/wire-names.ts';
import { type Declarations, declared } from './declarations.ts';
import type { Body } from './left-unsaid.ts';
import { GIVEN, type Sample } from './requests.ts';
import { Sampler } from './samples-of.ts';

/** `base` with each value that a member at `path` may have. */
function at(base: Body, path: readonly (string | number)[], values: readonly unknown[]): Sample[] {
  return values.map((value) => {
    const body = structuredClone(base) as Record<string | number, unknown>;
    let holder = body;
    for (const key of path.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>;
    holder[path.at(-1)!] = value;
    return { body: body as Body, path };
  });
}

class Drawn {
  readonly #declarations: Declarations;
  readonly #sampler: Sampler;

  constructor(...files: string[]) {
    this.#declarations = declared(...files);
    this.#sampler = new Sampler(this.#declarations, {
      ...GIVEN,
      always: { ...GIVEN.always, usage: undefined, usageMetadata: undefined, safetyRatings: [{ category: 'x' }] },
      plain: {
        ...GIVEN.plain,
        index: 0,
        finish_reason: 'stop',
        bytes: 'AAAA',
        uri: 'https://example.com/a',
        start_index: 1,
        end_index: 2,
      },
    });
  }

  /** Members of a declared object in a body, one at a time; none of those that `skip` names. */
  members(name: string, base: Body, path: readonly (string | number)[], skip: readonly string[]): Sample[] {
    const shape = this.#declarations.resolve(name);
    if (shape.kind !== 'object') throw new Error(`${name} is no object`);
    return [...shape.members].flatMap(([key, { shape: of }]) =>
      skip.includes(key) ? [] : at(base, [...path, key], this.#sampler.all(of, key)),
    );
  }

  /** Every value of a declared type as the one element of a list. */
  elements(name: string, base: Body, path: readonly (string | number)[]): Sample[] {
    return at(base, path, this.#sampler.all({ kind: 'name', name, scope: [] }));
  }
}

function chat(): Sample[] {
  const drawn = new Drawn('openai/resources/chat/completions/completions.d.ts', 'openai/resources/shared.d.ts');
  const choice = { index: 0, message: { role: 'assistant', content: 'so' }, finish_reason: 'stop' };
  const base = { id: 'c', object: 'chat.completion', created: 1, model: 'up', choices: [choice] };
  return [
    ...drawn.members('ChatCompletion', base, [], ['choices', 'usage']),
    ...drawn.members('ChatCompletion.Choice', base, ['choices', 0], ['message', 'finish_reason']),
    ...drawn.members('ChatCompletionMessage', base, ['choices', 0, 'message'], ['role', 'content']),
    ...at(base, ['choices', 0, 'message', 'reasoning_content'], ['hm']),
    ...at(base, ['choices', 0, 'message', 'reasoning_details'], [[{ type: 'reasoning.text', text: 'hm' }]]),
  ];
}

function responses(): Sample[] {
  const drawn = new Drawn('openai/resources/responses/responses.d.ts', 'openai/resources/shared.d.ts');
  const said = { type: 'message', id: 'm', role: 'assistant', status: 'completed' };
  const words = { type: 'output_text', text: 'so', annotations: [], logprobs: [] };
  const base = { id: 'r', object: 'response', created_at: 1, model: 'up', status: 'completed', error: null };
  const whole = { ...base, output: [{ ...said, content: [words] }] };
  return [
    ...drawn.elements('ResponseOutputItem', { ...base, output: [null] }, ['output', 0]),
    ...drawn.members('ResponseOutputText', whole, ['output', 0, 'content', 0], ['type', 'text']),
  ];
}

function messages(): Sample[] {
  const drawn = new Drawn('@anthropic-ai/sdk/resources/beta/messages/messages.d.ts');
  const base = { id: 'm', type: 'message', role: 'assistant', model: 'up', stop_reason: 'end_turn', usage: USAGE };
  const said = { ...base, content: [{ type: 'text', text: 'so' }] };
  return [
    ...drawn.members('BetaMessage', said, [], ['content', 'stop_reason', 'usage', 'type', 'role']),
    ...drawn.elements('BetaContentBlock', { ...base, content: [null] }, ['content', 0]),
  ];
}

const USAGE = { input_tokens: 1, output_tokens: 1 };

function generate(): Sample[] {
  const drawn = new Drawn('@google/genai/dist/genai.d.ts');
  const candidate = { index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'so' }] } };
  const base = { candidates: [candidate], responseId: 'r', modelVersion: 'up' };
  const part = ['candidates', 0, 'content', 'parts', 1];
  const longer = { ...base, candidates: [{ ...candidate, content: { role: 'model', parts: [{ text: 'so' }, {}] } }] };
  return [
    ...drawn.members('Candidate', base, ['candidates', 0], ['content', 'finishReason', 'index']),
    ...drawn.members('Part', longer, part, []),
  ];
}

function converse(): Sample[] {
  const drawn = new Drawn(
    '@aws-sdk/client-bedrock-runtime/dist-types/models/models_0.d.ts',
    '@aws-sdk/client-bedrock-runtime/dist-types/models/enums.d.ts',
  );
  const said = { role: 'assistant', content: [{ text: 'so' }] };
  const base = { output: { message: said }, stopReason: 'end_turn' };
  return [
    ...drawn.members('ConverseResponse', base, [], ['output', 'stopReason', 'usage']),
    ...drawn.elements('ContentBlock', { ...base, output: { message: { ...said, content: [null] } } }, [
      'output',
      'message',
      'content',
      0,
    ]),
  ];
}

/** By the upstream's dialect. */
export const ANSWERS: ReadonlyMap<Dialect, () => Sample[]> = new Map([
  ['openai-chat', chat],
  ['openai-responses', responses],
  ['anthropic', messages],
  ['gemini', generate],
  ['bedrock', converse],
]);
