/** Canonical values that the Messages dialect can say, for properties: what is written and read again must be the same. */
import fc from 'fast-check';
import type {
  AnswerFormat,
  CanonicalAnswer,
  CanonicalEvent,
  CanonicalRequest,
  Citation,
  Opaque,
  Part,
  Reasoning,
  Tool,
  ToolChoice,
  Turn,
} from '../../src/dialects/canonical.ts';

/** Text that is more than space: any other would be no block. */
const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((text) => `w${text}`);
const text = words.map((one): Part => ({ type: 'text', text: one }));
const state = fc.base64String({ minLength: 4, maxLength: 12 }).filter((data) => data !== '');
const opaque = (vendor: string | null): fc.Arbitrary<Opaque> =>
  fc.record({
    vendor: fc.constant(vendor),
    kind: fc.constant('signature' as const),
    data: state,
    id: fc.constant(null),
  });
const sealed = (vendor: string | null): fc.Arbitrary<Part> =>
  state.map((data) => ({
    type: 'reasoning',
    text: '',
    summary: false,
    opaque: { vendor, kind: 'sealed', data, id: null },
  }));
const signed = (vendor: string | null): fc.Arbitrary<Part> =>
  fc
    .tuple(words, opaque(vendor))
    .map(([thought, by]) => ({ type: 'reasoning', text: thought, summary: false, opaque: by }));

const media: fc.Arbitrary<Part> = fc.oneof(
  fc.base64String({ minLength: 4, maxLength: 8 }).map(
    (data): Part => ({
      type: 'media',
      media: 'image',
      mime: 'image/png',
      source: { by: 'base64', data },
      name: null,
      detail: null,
    }),
  ),
  fc.constant<Part>({
    type: 'media',
    media: 'image',
    mime: null,
    source: { by: 'url', url: 'https://a.example/x.png' },
    name: null,
    detail: null,
  }),
  fc.base64String({ minLength: 4, maxLength: 8 }).map(
    (data): Part => ({
      type: 'media',
      media: 'document',
      mime: 'application/pdf',
      source: { by: 'base64', data },
      name: 'a.pdf',
      detail: null,
    }),
  ),
  words.map(
    (plain): Part => ({
      type: 'media',
      media: 'document',
      mime: 'text/plain',
      source: { by: 'text', text: plain },
      name: null,
      detail: null,
    }),
  ),
);

/** Arguments as JSON text, big numbers and odd spacing included: they stay as they were written. */
const args = fc.oneof(
  fc.constant('{}'),
  fc.constant('{"n":12345678901234567890, "z":[1.0]}'),
  fc
    .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
    .map((one) => JSON.stringify(one)),
);
const NAMES = ['get_weather', 'a-b', 'Find2'];
const toolName = fc.constantFrom(...NAMES);

interface Exchange {
  readonly asked: readonly Part[];
  readonly said: readonly Part[];
  readonly calls: readonly {
    readonly name: string;
    readonly input: string;
    readonly failed: boolean;
    readonly parts: readonly Part[];
  }[];
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  asked: fc.array(fc.oneof(text, media), { minLength: 1, maxLength: 2 }),
  said: fc
    .tuple(
      fc.array(fc.oneof(signed('anthropic'), sealed('anthropic')), { maxLength: 2 }),
      fc.array(text, { minLength: 1, maxLength: 2 }),
    )
    .map((lists) => lists.flat()),
  calls: fc.array(
    fc.record({
      name: toolName,
      input: args,
      failed: fc.boolean(),
      parts: fc.array(fc.oneof(text, media), { maxLength: 2 }),
    }),
    { maxLength: 2 },
  ),
});

function turnsOf(exchanges: readonly Exchange[], last: readonly Part[]): Turn[] {
  const turns: Turn[] = [];
  let results: Part[] = [];
  exchanges.forEach(({ asked, said, calls }, at) => {
    turns.push({ role: 'user', parts: [...results, ...asked] });
    const made = calls.map(
      ({ name, input }, place): Part => ({ type: 'call', id: `t${at}_${place}`, name, form: 'function', input }),
    );
    turns.push({ role: 'assistant', parts: [...said, ...made] });
    results = calls.map(({ name, parts, failed }, place) => ({
      type: 'result',
      callId: `t${at}_${place}`,
      name,
      parts,
      json: null,
      failed,
    }));
  });
  turns.push({ role: 'user', parts: [...results, ...last] });
  return turns;
}

const CLOSED =
  '{"type":"object","properties":{"a":{"type":"string"},"n":{"enum":[12345678901234567890]}},"required":["a","n"],"additionalProperties":false}';
const LOOSE = '{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}';

const tool = (name: string): fc.Arbitrary<Tool> =>
  fc.record({
    form: fc.constant('function' as const),
    name: fc.constant(name),
    description: fc.option(words),
    schema: fc.constantFrom(CLOSED, LOOSE, '{"type":"object","x-big":1e400}'),
    strict: fc.constant(null),
  });

const format: fc.Arbitrary<AnswerFormat | null> = fc.constantFrom<(AnswerFormat | null)[]>(
  null,
  { type: 'schema', name: null, description: null, schema: CLOSED, strict: true },
  { type: 'schema', name: null, description: null, schema: LOOSE, strict: null },
);

const reasoning: fc.Arbitrary<Reasoning> = fc.oneof(
  fc.constant<Reasoning>({ effort: null, budget: null, shown: null }),
  fc.constant<Reasoning>({ effort: 'none', budget: null, shown: null }),
  fc.record({
    effort: fc.constantFrom('low', 'medium', 'high', 'xhigh', 'max'),
    budget: fc.constant(null),
    shown: fc.boolean(),
  }),
  fc.record({ effort: fc.constant(null), budget: fc.integer({ min: 1024, max: 4000 }), shown: fc.boolean() }),
);

const choice: fc.Arbitrary<Pick<CanonicalRequest, 'toolChoice' | 'parallelCalls'>> = fc.oneof(
  fc.constant({ toolChoice: null, parallelCalls: null }),
  fc.record({
    toolChoice: fc.constantFrom<ToolChoice[]>({ mode: 'auto' }, { mode: 'any' }, { mode: 'one', name: NAMES[0]! }),
    parallelCalls: fc.constantFrom(null, false),
  }),
  fc.constant({ toolChoice: { mode: 'none' as const }, parallelCalls: null }),
);

/** Requests whose every part Messages has words for. */
export const sayableRequest: fc.Arbitrary<CanonicalRequest> = fc
  .record({
    system: fc.array(text, { maxLength: 2 }),
    exchanges: fc.array(exchange, { maxLength: 2 }),
    last: fc.array(fc.oneof(text, media), { minLength: 1, maxLength: 2 }),
    prefill: fc.boolean(),
    tools: fc.tuple(...NAMES.map(tool)),
    choosing: choice,
    format,
    reasoning,
    sampling: fc.constantFrom({}, { temperature: 0.5 }, { topP: 0.9, topK: 3 }),
    stop: fc.constantFrom([], ['END', '\n\nx']),
    user: fc.option(words),
    cached: fc.boolean(),
    tier: fc.boolean(),
    stream: fc.boolean(),
  })
  .map((made): CanonicalRequest => {
    const forced = made.choosing.toolChoice?.mode === 'any' || made.choosing.toolChoice?.mode === 'one';
    const plain: Reasoning = { effort: null, budget: null, shown: null };
    // Thinking goes with neither a forced call nor a begun answer, and a budget not with results without their thought.
    const thinks = made.reasoning.effort !== 'none' && made.reasoning !== plain;
    const clashes = forced || made.prefill || (made.reasoning.budget !== null && made.exchanges.length > 0);
    const wanted = thinks && clashes ? plain : made.reasoning;
    const isOn = wanted.budget !== null || (wanted.effort !== null && wanted.effort !== 'none');
    const turns = turnsOf(made.exchanges, made.last);
    const hints = new Map<string, string>();
    if (made.user !== null) hints.set('user', JSON.stringify(made.user));
    if (made.tier) hints.set('service_tier', '"default"');
    if (made.cached) hints.set('cache_control', '{"type":"ephemeral"}');
    return {
      system: made.system,
      turns: made.prefill ? [...turns, { role: 'assistant', parts: [{ type: 'text', text: 'So' }] }] : turns,
      tools: made.tools,
      ...made.choosing,
      format: made.format,
      reasoning: wanted,
      maxOutputTokens: 5000,
      stop: made.stop,
      sampling: isOn ? {} : made.sampling,
      n: 1,
      logprobs: null,
      modalities: [],
      bound: [],
      hints,
      stream: made.stream,
      prefill: made.prefill,
    };
  });

const citation: fc.Arbitrary<Citation> = fc.record({
  url: fc.constant('https://a.example/'),
  title: fc.option(words),
  quote: fc.option(words),
  start: fc.constant(null),
  end: fc.constant(null),
});

const answerPart: fc.Arbitrary<Part> = fc.oneof(
  text,
  fc
    .tuple(words, fc.array(citation, { minLength: 1, maxLength: 2 }))
    .map(([one, citations]): Part => ({ type: 'text', text: one, citations })),
  signed(null),
  sealed(null),
  words.map((thought): Part => ({ type: 'reasoning', text: thought, summary: false, opaque: null })),
);

/** Without what only its maker can read at the very end: it is left out there. */
function endingInAnswer(parts: readonly Part[]): readonly Part[] {
  const last = parts.findLastIndex((part) => part.type !== 'reasoning' || part.opaque?.kind !== 'sealed');
  return parts.slice(0, Math.max(1, last + 1));
}

/** Answers whose every part Messages has words for. */
export const sayableAnswer: fc.Arbitrary<CanonicalAnswer> = fc
  .record({
    parts: fc.array(answerPart, { minLength: 1, maxLength: 4 }),
    calls: fc.array(fc.tuple(toolName, args), { maxLength: 2 }),
    counts: fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000), fc.nat(1000), fc.option(fc.nat(500))),
    ending: fc.constantFrom('stop', 'length', 'refusal', 'pause', 'sequence'),
  })
  .map(({ parts, calls, counts, ending }): CanonicalAnswer => {
    const [fresh, cacheRead, cacheWrite, output, reasoningTokens] = counts;
    const input = fresh + cacheRead + cacheWrite;
    const made = calls.map(
      ([name, given], at): Part => ({ type: 'call', id: `toolu_${at}`, name, form: 'function', input: given }),
    );
    const words = {
      stop: 'end_turn',
      length: 'max_tokens',
      refusal: 'refusal',
      pause: 'pause_turn',
      sequence: 'stop_sequence',
    };
    const isPlain = ending === 'stop' || ending === 'sequence';
    const finish = isPlain ? (made.length > 0 ? 'tool_calls' : 'stop') : ending;
    return {
      choices: [
        {
          parts: endingInAnswer([...parts, ...made]),
          finish,
          finishRaw: finish === 'tool_calls' ? 'tool_use' : words[ending],
          stopSequence: ending === 'sequence' && made.length === 0 ? 'END' : null,
          logprobs: null,
        },
      ],
      usage: {
        input,
        output,
        cacheRead,
        cacheWrite,
        reasoning: reasoningTokens,
        audioInput: null,
        audioOutput: null,
        total: input + output,
        estimated: false,
      },
    };
  });

/** The same answer as a stream: texts and arguments in pieces. */
export function eventsOf({ choices, usage }: CanonicalAnswer): CanonicalEvent[] {
  const events: CanonicalEvent[] = [];
  const [choice] = choices;
  if (choice === undefined) return events;
  choice.parts.forEach((part, block) => {
    const pieces = (whole: string): void => {
      const middle = Math.ceil(whole.length / 2);
      for (const piece of [whole.slice(0, middle), whole.slice(middle)]) {
        if (piece !== '') events.push({ type: 'delta', block, text: piece });
      }
    };
    switch (part.type) {
      case 'text':
        events.push({ type: 'block-start', block, choice: 0, what: { type: 'text' } });
        pieces(part.text);
        for (const one of part.citations ?? []) events.push({ type: 'citation', block, citation: one });
        break;
      case 'reasoning':
        events.push({ type: 'block-start', block, choice: 0, what: { type: 'reasoning', summary: false } });
        pieces(part.text);
        if (part.opaque !== null) events.push({ type: 'opaque', block, opaque: part.opaque });
        break;
      case 'call': {
        const { id, name, form } = part;
        events.push({ type: 'block-start', block, choice: 0, what: { type: 'call', id, name, form } });
        pieces(part.input);
      }
    }
    events.push({ type: 'block-end', block });
  });
  const { finish, finishRaw, stopSequence } = choice;
  if (usage !== null) events.push({ type: 'usage', usage });
  events.push({ type: 'finish', choice: 0, finish, raw: finishRaw, stopSequence });
  return events;
}

/** Events put together again: deltas of a block joined, counts only as told last. */
export function joined(events: readonly CanonicalEvent[]): unknown[] {
  const found: CanonicalEvent[] = [];
  let usage: CanonicalEvent | null = null;
  for (const event of events) {
    const last = found.at(-1);
    if (event.type === 'usage') usage = event;
    else if (event.type === 'delta' && last?.type === 'delta' && last.block === event.block) {
      found[found.length - 1] = { ...last, text: last.text + event.text };
    } else found.push(event);
  }
  return usage === null ? found : [...found, usage];
}
