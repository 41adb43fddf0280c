import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  callBlock,
  converseError,
  converseEvent,
  converseException,
  converseStream,
  ending,
  OPENING,
  type Told,
  textBlock,
  thoughtBlock,
} from '../../../test/support/converse-frames.ts';
import { textOf } from '../bytes/text.ts';
import type { CanonicalEvent } from '../canonical.ts';
import { converseUpstream } from './translated.ts';

interface Read {
  readonly events: readonly CanonicalEvent[];
  readonly ending: string;
  /** The fault's kind, and what it says. */
  readonly fault: readonly [string, string] | null;
}

function read(pieces: Iterable<Uint8Array>, names = new Map<string, string>(), ends = true): Read {
  const events: CanonicalEvent[] = [];
  const reader = converseUpstream.canonical.streamReader({
    maxEventBytes: 1 << 16,
    names,
    vendor: 'v',
    emit: (event) => events.push(event),
  });
  for (const piece of pieces) reader.push(piece);
  if (ends) reader.end();
  const { fault } = reader;
  if (fault === null) return { events, ending: reader.ending, fault: null };
  const says = 'message' in fault ? fault.message : 'reason' in fault ? fault.reason : '';
  return { events, ending: reader.ending, fault: [fault.kind, 'body' in fault ? textOf(fault.body) : says] };
}

const told = (...parts: readonly Told[]): Told => parts.flat();
const events = (...parts: readonly Told[]): readonly CanonicalEvent[] => read([converseStream(told(...parts))]).events;

const ANSWER = told(
  OPENING,
  thoughtBlock(0, { text: 'Let me ' }, { text: 'see 🙂' }, { signature: 'c2ln' }),
  textBlock(1, 'Hel', 'lo'),
  callBlock(2, 'tooluse_1', 'weather', '', '{"city"', ':"Köln","big":12345678901234567890}'),
  callBlock(3, 'tooluse_2', 'time'),
  ending('tool_use', { inputTokens: 10, outputTokens: 7, cacheReadInputTokens: 3, cacheWriteInputTokens: 2 }),
);

const ANSWER_EVENTS: readonly CanonicalEvent[] = [
  { type: 'block-start', block: 0, choice: 0, what: { type: 'reasoning', summary: false } },
  { type: 'delta', block: 0, text: 'Let me ' },
  { type: 'delta', block: 0, text: 'see 🙂' },
  { type: 'opaque', block: 0, opaque: { vendor: 'v', kind: 'signature', data: 'c2ln', id: null } },
  { type: 'block-end', block: 0 },
  { type: 'block-start', block: 1, choice: 0, what: { type: 'text' } },
  { type: 'delta', block: 1, text: 'Hel' },
  { type: 'delta', block: 1, text: 'lo' },
  { type: 'block-end', block: 1 },
  {
    type: 'block-start',
    block: 2,
    choice: 0,
    what: { type: 'call', id: 'tooluse_1', name: 'weather', form: 'function' },
  },
  { type: 'delta', block: 2, text: '{"city"' },
  { type: 'delta', block: 2, text: ':"Köln","big":12345678901234567890}' },
  { type: 'block-end', block: 2 },
  { type: 'block-start', block: 3, choice: 0, what: { type: 'call', id: 'tooluse_2', name: 'time', form: 'function' } },
  { type: 'delta', block: 3, text: '{}' },
  { type: 'block-end', block: 3 },
  { type: 'finish', choice: 0, finish: 'tool_calls', raw: 'tool_use', stopSequence: null },
  {
    type: 'usage',
    usage: {
      input: 15,
      output: 7,
      cacheRead: 3,
      cacheWrite: 2,
      reasoning: null,
      audioInput: null,
      audioOutput: null,
      total: 22,
      estimated: false,
    },
  },
];

describe('ConverseReader: a good stream', () => {
  it('dialects §6, §11: thoughts, text, calls with streamed arguments, usage with the cache counted in', () => {
    expect(read([converseStream(ANSWER)])).toEqual({ events: ANSWER_EVENTS, ending: 'proper', fault: null });
  });

  it('dialects §6: every split gives the same events', () => {
    const bytes = converseStream(ANSWER);
    for (let at = 0; at <= bytes.length; at++) {
      const { events: found, ending: end } = read([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(found).toEqual(ANSWER_EVENTS);
      expect(end).toBe('proper');
    }
    expect(read(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))).events).toEqual(ANSWER_EVENTS);
  });

  it('T-5: it is over with its usage, and without one at its end', () => {
    const whole = converseStream(told(OPENING, textBlock(0, 'a'), ending('end_turn')));
    expect(read([whole], new Map(), false).ending).toBe('proper');
    const bare = converseStream(told(OPENING, textBlock(0, 'a'), [['messageStop', { stopReason: 'end_turn' }]]));
    expect(read([bare], new Map(), false).ending).toBe('open');
    const { ending: end, fault, events: found } = read([bare]);
    expect([end, fault]).toEqual(['proper', null]);
    expect(found.some((event) => event.type === 'usage')).toBe(false);
  });

  it('R-4: names of tools come back as the client spelt them', () => {
    const bytes = converseStream(told(OPENING, callBlock(0, 'x', 'a_b', '{}'), ending('tool_use')));
    const start = read([bytes], new Map([['a_b', 'a.b']])).events[0];
    expect(start).toMatchObject({ what: { name: 'a.b' } });
  });

  it('R-5: sealed thoughts come whole, in whatever pieces', () => {
    const sealed = Buffer.from('nobody can read this');
    const pieces = [sealed.subarray(0, 4), sealed.subarray(4)].map((piece) => ({
      redactedContent: piece.toString('base64'),
    }));
    const found = events(OPENING, thoughtBlock(0, ...pieces), ending('end_turn'));
    expect(found[1]).toMatchObject({ opaque: { kind: 'sealed', data: sealed.toString('base64') } });
    const one = events(OPENING, thoughtBlock(0, { redactedContent: 'not+base64?' }), ending('end_turn'));
    expect(one[1]).toMatchObject({ opaque: { data: 'not+base64?' } });
  });

  it('dialects §6: a block that changes its kind is two', () => {
    const found = events(
      OPENING,
      [['contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'hm' } } }]],
      textBlock(0, 'a'),
      ending('end_turn'),
    );
    expect(found.map((event) => event.type).join(' ')).toBe(
      'block-start delta block-end block-start delta block-end finish usage',
    );
  });

  it('dialects §6: words end where another block begins, even without a word of it', () => {
    const found = events(
      OPENING,
      textBlock(0, 'a').slice(0, 1),
      callBlock(1, 'x', 'f', '{}'),
      textBlock(2, 'b').slice(0, 1),
      ending('tool_use'),
    );
    expect(found.map((event) => ('block' in event ? `${event.type} ${event.block}` : event.type)).join(', ')).toBe(
      [
        ...['block-start 0', 'delta 0', 'block-end 0', 'block-start 1', 'delta 1', 'block-end 1'],
        ...['block-start 2', 'delta 2', 'block-end 2', 'finish', 'usage'],
      ].join(', '),
    );
  });

  it('dialects §6: pictures come whole, sources with the text, the upstream’s own calls not at all', () => {
    const found = events(
      OPENING,
      [
        ['contentBlockStart', { contentBlockIndex: 0, start: { image: { format: 'webp' } } }],
        ['contentBlockDelta', { contentBlockIndex: 0, delta: { image: { source: { bytes: 'AAAA' } } } }],
        ['contentBlockStop', { contentBlockIndex: 0 }],
        [
          'contentBlockStart',
          { contentBlockIndex: 1, start: { toolUse: { toolUseId: 'x', name: 'search', type: 'server_tool_use' } } },
        ],
        ['contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{"q":1}' } } }],
        ['contentBlockStop', { contentBlockIndex: 1 }],
        ['contentBlockStart', { contentBlockIndex: 2, start: { toolResult: { toolUseId: 'x' } } }],
        ['contentBlockDelta', { contentBlockIndex: 2, delta: { toolResult: [{ text: 'found' }] } }],
        ['contentBlockStop', { contentBlockIndex: 2 }],
        ['contentBlockDelta', { contentBlockIndex: 3, delta: { text: 'so' } }],
        [
          'contentBlockDelta',
          {
            contentBlockIndex: 3,
            delta: {
              citation: { title: 'T', sourceContent: [{ text: 'q' }], location: { web: { url: 'https://u' } } },
            },
          },
        ],
        ['contentBlockStop', { contentBlockIndex: 3 }],
      ],
      ending('end_turn'),
    );
    expect(found.slice(0, 6)).toEqual([
      {
        type: 'block-start',
        block: 0,
        choice: 0,
        what: {
          type: 'media',
          part: {
            type: 'media',
            media: 'image',
            mime: 'image/webp',
            source: { by: 'base64', data: 'AAAA' },
            name: null,
            detail: null,
          },
        },
      },
      { type: 'block-end', block: 0 },
      { type: 'block-start', block: 1, choice: 0, what: { type: 'text' } },
      { type: 'delta', block: 1, text: 'so' },
      {
        type: 'citation',
        block: 1,
        citation: { url: 'https://u', title: 'T', quote: 'q', start: null, end: null },
      },
      { type: 'block-end', block: 1 },
    ]);
    expect(found[6]).toMatchObject({ type: 'finish', finish: 'stop' });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['something_new', 'pause'],
  ])('dialects §11: %s means %s', (raw, finish) => {
    const found = events(OPENING, textBlock(0, 'a'), ending(raw)).find((event) => event.type === 'finish');
    expect(found).toMatchObject({ finish, raw });
  });

  it('dialects §11: a model that calls and says it is done has called', () => {
    const found = events(OPENING, callBlock(0, 'x', 'f', '{}'), ending('end_turn'));
    expect(found.at(-2)).toMatchObject({ finish: 'tool_calls', raw: 'end_turn' });
  });
});

describe('ConverseReader: a stream that fails', () => {
  const begun = converseStream(told(OPENING, textBlock(0, 'a')));

  it('dialects §8: without the end of the message it is cut, wherever it breaks off', () => {
    const whole = converseStream(told(OPENING, textBlock(0, 'a'), [['messageStop', { stopReason: 'end_turn' }]]));
    for (let end = 0; end < whole.length; end++) {
      expect(read([whole.subarray(0, end)])).toMatchObject({ fault: ['cut', ''], ending: 'open' });
    }
  });

  it('dialects §8: half a usage behind the end leaves the answer whole, a bent frame anywhere is a cut', () => {
    const whole = converseStream(told(OPENING, textBlock(0, 'a'), ending('end_turn')));
    expect(read([whole.subarray(0, whole.length - 1)])).toMatchObject({ fault: null, ending: 'doubtful' });
    for (let at = 0; at < whole.length; at++) {
      const bent = Buffer.from(whole);
      bent[at]! ^= 0x10;
      expect([at, read([bent])]).toMatchObject([at, { fault: ['cut', ''], ending: 'open' }]);
    }
  });

  it('F-1: exceptions come as errors with their type', () => {
    const frame = converseException('throttlingException', { message: 'Too many requests' });
    expect(read([begun, frame, begun]).fault).toEqual([
      'error_event',
      '{"__type":"throttlingException","message":"Too many requests"}',
    ]);
    expect(read([converseError('InternalError', 'it broke')]).fault).toEqual([
      'error_event',
      '{"__type":"InternalError","message":"it broke"}',
    ]);
    expect(read([converseException('x', 'plain words')]).fault).toEqual([
      'error_event',
      '{"__type":"x","message":"plain words"}',
    ]);
  });

  it('F-6: an exception behind the end of the message still is one', () => {
    const stopped = converseStream(told(OPENING, textBlock(0, 'a'), [['messageStop', { stopReason: 'end_turn' }]]));
    const frame = converseException('internalServerException', { message: 'late' });
    expect(read([stopped, frame]).fault?.[0]).toBe('error_event');
  });

  it.each(['malformed_model_output', 'malformed_tool_use'])('F-6: %s says that the answer failed', (reason) => {
    const { fault, events: found } = read([converseStream(told(OPENING, textBlock(0, 'a'), ending(reason)))]);
    expect(fault).toEqual(['bad_finish', reason]);
    expect(found.some((event) => event.type === 'finish')).toBe(false);
    expect(converseUpstream.canonical.failedFinish(reason)).toBe('server_error');
  });

  it('T-5: an end without a reason is none', () => {
    const bytes = converseStream(told(OPENING, textBlock(0, 'a'), [['messageStop', {}]], ending('end_turn').slice(1)));
    expect(read([bytes])).toMatchObject({ fault: ['cut', ''], ending: 'open' });
  });

  it.each<[string, Told, string]>([
    ['no JSON', [['contentBlockDelta', '{"delta":']], 'the event contentBlockDelta is no JSON object'],
    ['no object', [['messageStop', '[]']], 'the event messageStop is no JSON object'],
    ['no index', [['contentBlockDelta', { delta: { text: 'a' } }]], "contentBlockDelta without its block's index"],
    ['no delta', [['contentBlockDelta', { contentBlockIndex: 0 }]], 'contentBlockDelta without anything in it'],
    ['no name', callBlock(0, 'x', '', '{}'), 'the call in block 0 has no name'],
    [
      'arguments of no call',
      [['contentBlockDelta', { contentBlockIndex: 4, delta: { toolUse: { input: '{}' } } }]],
      'arguments in block 4, which is no call',
    ],
    ['two starts', [callBlock(0, 'x', 'f')[0]!, callBlock(0, 'y', 'g')[0]!], 'block 0 starts twice'],
    ['two ends', told(ending('end_turn').slice(0, 1), ending('end_turn')), 'the message ends twice'],
    [
      'content behind the end',
      told(ending('end_turn').slice(0, 1), textBlock(0, 'b')),
      'contentBlockDelta after the end of the message',
    ],
  ])('T-5: %s', (_name, bad, message) => {
    const { fault } = read([converseStream(told(OPENING, bad)), begun]);
    expect(fault).toEqual(['malformed', message]);
  });

  it('T-7: an event longer than allowed', () => {
    const long = converseEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'a'.repeat(1 << 16) } });
    expect(read([long]).fault).toEqual(['malformed', `an event of more than ${1 << 16} bytes`]);
  });

  it('T-1: an open call stays open, so that half of it is never taken for all', () => {
    const found = read([
      converseStream(told(OPENING, callBlock(0, 'x', 'f', '{"a":').slice(0, 2), ending('tool_use'))),
    ]);
    expect(found.events.some((event) => event.type === 'block-end')).toBe(false);
  });
});

describe('ConverseReader: whatever comes', () => {
  const piece = fc.oneof(
    fc.constantFrom<Told>(
      ...[OPENING, textBlock(0, 'a', 'b'), callBlock(1, 'x', 'f', '{"a"', ':1}'), ending('end_turn')],
    ),
    fc.constantFrom<Told>(thoughtBlock(0, { text: 'x' }, { signature: 's' }), ending('tool_use'), ending('')),
    fc
      .tuple(fc.constantFrom('contentBlockDelta', 'contentBlockStart', 'messageStop', 'metadata'), fc.json())
      .map(([name, json]): Told => [[name, json]]),
  );

  it('X-1: blocks open before they are written and close once; nothing whole comes without its reason', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.nat(), fc.nat(), (parts, flip, cut) => {
        const bytes = converseStream(told(...parts));
        const bent = Buffer.from(bytes.subarray(0, bytes.length - (cut % 40 > 20 ? cut % 20 : 0)));
        if (flip % 3 === 0 && bent.length > 0) bent[flip % bent.length]! ^= 1 << (flip % 8);
        const at = bent.length === 0 ? 0 : cut % bent.length;
        const { events: found, ending: end, fault } = read([bent.subarray(0, at), bent.subarray(at)]);
        const open = new Set<number>();
        const closed = new Set<number>();
        for (const event of found) {
          if (event.type === 'block-start') {
            expect(open.has(event.block) || closed.has(event.block)).toBe(false);
            open.add(event.block);
          } else if (event.type === 'block-end') {
            expect(open.delete(event.block)).toBe(true);
            closed.add(event.block);
          } else if ('block' in event) expect(open.has(event.block)).toBe(true);
          if (event.type === 'delta') expect(event.text).not.toBe('');
        }
        expect(end !== 'open').toBe(fault === null);
        if (end !== 'open') expect(found.filter((event) => event.type === 'finish')).toHaveLength(1);
      }),
    );
  });
});
