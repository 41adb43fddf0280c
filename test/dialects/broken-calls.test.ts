/**
 * A finished answer that says calls were made, and whose arguments are no JSON, is no whole answer (dialects §8, §14.16):
 * the same verdict whether the stream passes or is translated, whole or in pieces.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientDialectName } from '../../src/core/wire-names.ts';
import { BROKEN_CALL } from '../../src/dialects/failure/answer-faults.ts';
import { laneOf } from '../../src/dialects/lanes.ts';
import { vocabularyFor } from '../../src/providers/vocabularies.ts';
import { chunk, DONE } from '../support/chat-tap-feed.ts';
import { blockDelta, blockStart, blockStop, ending, STOP, start, textBlock } from '../support/messages-feed.ts';
import { cross, OPTIONS, requestOf, SPEAKERS, speakerOf, TARGET, verdictOf } from './crossings.ts';

/** How an upstream ends: all is said, or its room was over. */
type End = 'whole' | 'length';

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** Streams of one text and one call each, by the upstream's dialect and by how it tells calls. */
const UPSTREAMS: readonly [
  name: string,
  dialect: ClientDialectName,
  write: (pieces: readonly string[], end: End) => string,
][] = [
  [
    'Chat',
    'openai-chat',
    (pieces, end) =>
      chat(
        (args, first) => [{ index: 0, ...(first ? ID : {}), function: { ...(first ? NAME : {}), arguments: args } }],
        pieces,
        end,
      ),
  ],
  [
    'Chat, its id in every piece',
    'openai-chat',
    (pieces, end) => chat((args) => [{ index: 0, ...ID, function: { ...NAME, arguments: args } }], pieces, end),
  ],
  [
    'Chat, without index',
    'openai-chat',
    (pieces, end) =>
      chat(
        (args, first) => [{ ...(first ? ID : {}), function: { ...(first ? NAME : {}), arguments: args } }],
        pieces,
        end,
      ),
  ],
  [
    'Chat, ended by a plain stop',
    'openai-chat',
    (pieces, end) =>
      chat(
        (args, first) => [{ index: 0, ...(first ? ID : {}), function: { ...(first ? NAME : {}), arguments: args } }],
        pieces,
        end,
      ).replace('"tool_calls"}', '"stop"}'),
  ],
  [
    'Chat, legacy',
    'openai-chat',
    (pieces, end) =>
      pieces.map((args, at) => chunk({ function_call: { ...(at === 0 ? NAME : {}), arguments: args } })).join('') +
      chunk({}, end === 'whole' ? 'function_call' : 'length') +
      DONE,
  ],
  ['Responses', 'openai-responses', (pieces, end) => responses(pieces, end)],
  [
    'Messages',
    'anthropic',
    (pieces, end) =>
      start() +
      textBlock(0, 'Hm.') +
      blockStart(1, { type: 'tool_use', id: 't', name: 'f', input: {} }) +
      pieces.map((partial_json) => blockDelta(1, { type: 'input_json_delta', partial_json })).join('') +
      blockStop(1) +
      ending(end === 'whole' ? 'tool_use' : 'max_tokens') +
      STOP,
  ],
];

const ID = { id: 'c1', type: 'function' };
const NAME = { name: 'f' };

function chat(call: (args: string, first: boolean) => object[], pieces: readonly string[], end: End): string {
  const calls = pieces.map((args, at) => chunk({ tool_calls: call(args, at === 0) }));
  return chunk({ content: 'Hm.' }) + calls.join('') + chunk({}, end === 'whole' ? 'tool_calls' : 'length') + DONE;
}

function responses(pieces: readonly string[], end: End): string {
  const item = { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'f', arguments: pieces.join('') };
  const status = end === 'whole' ? 'completed' : 'incomplete';
  const response = { id: 'resp_1', object: 'response', model: 'up', status: 'in_progress', output: [] };
  const reason = end === 'whole' ? {} : { incomplete_details: { reason: 'max_output_tokens' } };
  return [
    event('response.created', { response }),
    event('response.output_item.added', { output_index: 0, item: { ...item, arguments: '' } }),
    ...pieces.map((delta) =>
      event('response.function_call_arguments.delta', { item_id: 'fc_1', output_index: 0, delta }),
    ),
    event('response.output_item.done', { output_index: 0, item }),
    event(`response.${status}`, { response: { ...response, status, output: [item], ...reason } }),
  ].join('');
}

function isWhole(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A client whose libraries make `{}` of them, or an upstream whose vendor's libraries do. */
function mustBreak(client: ClientDialectName, upstream: ClientDialectName): boolean {
  return client === 'anthropic' || upstream === 'anthropic';
}

const TEXTS = [
  '',
  ' ',
  '{}',
  '{"city":"Oslo"}',
  '[1,2]',
  '"x"',
  '12',
  '{"a":',
  '{"a":}',
  '{"a":1}}',
  '{"a":1',
  '{}{}',
  'city: Oslo',
  '{"a":"\n"}',
  '{"a":"b',
];

function cutUp(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => text.slice(from, at[i] ?? text.length));
}

describe.each(UPSTREAMS)('a call by %s', (_name, dialect, write) => {
  it.each(SPEAKERS)('dialects §8, T-9: to a client of $client.name', (speaker) => {
    for (const text of TEXTS) {
      for (const end of ['whole', 'length'] as const) {
        const bytes = Buffer.from(write(cutUp(text, [1, 4]), end));
        const broken = end === 'whole' && !isWhole(text);
        const held = cross(speaker, dialect, [bytes], { ...OPTIONS, holdAll: true });
        expect([text, end, verdictOf(held.tap)]).toEqual([text, end, broken ? 'nothing, malformed' : 'content, whole']);
        const shown = cross(speaker, dialect, [bytes]);
        const seen = broken
          ? mustBreak(speaker.codec.dialect as ClientDialectName, dialect)
            ? 'malformed'
            : 'doubtful'
          : 'whole';
        expect([text, end, verdictOf(shown.tap)]).toEqual([text, end, `content, ${seen}`]);
        // I-9: what is doubtful for its calls is never kept as a success.
        expect(shown.tap.finished && seen === 'doubtful').toBe(false);
      }
    }
  });

  it('T-5: cut anywhere, it is the same stream', () => {
    const texts = fc.oneof(
      fc.constantFrom(...TEXTS),
      fc.jsonValue().map((value) => JSON.stringify(value)),
    );
    const cuts = fc.array(fc.nat(), { maxLength: 5 });
    fc.assert(
      fc.property(
        texts,
        cuts,
        cuts,
        fc.boolean(),
        fc.constantFrom(...SPEAKERS),
        (text, pieces, at, holdAll, speaker) => {
          const bytes = Buffer.from(write(cutUp(text, pieces), 'whole'));
          const places = [...new Set(at.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
          const parts = [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length));
          const { tap } = cross(speaker, dialect, parts, { ...OPTIONS, holdAll });
          expect(tap.complete && !tap.suspicious).toBe(isWhole(text));
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('several calls', () => {
  const piece = (calls: object[]): string => chunk({ tool_calls: calls });
  const call = (index: number | undefined, id: string | undefined, args: string, name: string | undefined = 'f') => ({
    ...(index === undefined ? {} : { index }),
    ...(id === undefined ? {} : { id }),
    function: { ...(name === undefined ? {} : { name }), arguments: args },
  });
  const more = (index: number | undefined, args: string) => ({
    ...(index === undefined ? {} : { index }),
    function: { arguments: args },
  });

  it.each<[string, string[], boolean]>([
    [
      'one after the other',
      [piece([call(0, 'a', '{"a"')]), piece([more(0, ':1}')]), piece([call(1, 'b', '{}')])],
      true,
    ],
    ['the first broken off', [piece([call(0, 'a', '{"a"')]), piece([call(1, 'b', '{}')])], false],
    ['mixed', [piece([call(0, 'a', '{'), call(1, 'b', '[')]), piece([more(1, ']'), more(0, '}')])], true],
    ['each with the index 0', [piece([call(0, 'a', '{}')]), piece([call(0, 'b', '{')]), piece([more(0, '}')])], true],
    ['each with the index 0, the first broken off', [piece([call(0, 'a', '{')]), piece([call(0, 'b', '{}')])], false],
    [
      'without indexes',
      [piece([call(undefined, 'a', '{}')]), piece([call(undefined, 'b', '{')]), piece([more(undefined, '}')])],
      true,
    ],
    [
      'as objects',
      [chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: { a: 1 } } }] })],
      true,
    ],
    [
      'freeform',
      [chunk({ tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'f', input: '{"a":' } }] })],
      true,
    ],
    [
      'its name after its id',
      [chunk({ tool_calls: [{ index: 0, id: 'a', function: {} }] }), piece([call(0, undefined, '{}')])],
      true,
    ],
    ['no name at all', [chunk({ tool_calls: [{ index: 0, id: 'a', function: { arguments: '{}' } }] })], false],
    [
      'escaped spellings',
      [
        piece([call(0, 'a', '{"\\u0061":"\\"{"}')])
          .replace('arguments', '\\u0061rguments')
          .replace('{\\"', '\\u007b\\u0022'),
      ],
      true,
    ],
  ])('dialects §8: %s', (_what, events, whole) => {
    const bytes = Buffer.from(events.join('') + chunk({}, 'tool_calls') + DONE);
    for (const speaker of SPEAKERS) {
      const { tap } = cross(speaker, 'openai-chat', [bytes], { ...OPTIONS, holdAll: true });
      expect([speaker.client.name, verdictOf(tap)]).toEqual([
        speaker.client.name,
        whole ? 'content, whole' : 'nothing, malformed',
      ]);
    }
  });

  it('dialects §8: each of several answers by its own finish reason', () => {
    const two = (first: string, second: string): Buffer => {
      const choice = (index: number, delta: object, finish_reason: string | null = null) => ({
        delta,
        finish_reason,
        index,
      });
      const bodies = [
        [choice(0, { tool_calls: [call(0, 'a', '{')] }), choice(1, { tool_calls: [call(0, 'b', '{}')] })],
        [choice(0, {}, first), choice(1, {}, second)],
      ];
      return Buffer.from(bodies.map((choices) => `data: ${JSON.stringify({ choices })}\n\n`).join('') + DONE);
    };
    const verdict = (bytes: Buffer) =>
      verdictOf(cross(speakerOf('openai-chat'), 'openai-chat', [bytes], { ...OPTIONS, n: 2, holdAll: true }).tap);
    expect(verdict(two('length', 'tool_calls'))).toBe('content, whole');
    expect(verdict(two('tool_calls', 'length'))).toBe('nothing, malformed');
  });
});

describe('whole answers', () => {
  const chatAnswer = (message: object, finish_reason: string): object => ({
    choices: [{ index: 0, message, finish_reason }],
  });
  const item = (fields: object): object => ({ type: 'function_call', call_id: 'c', name: 'f', ...fields });
  const response = (status: string, ...output: object[]): object => ({ id: 'r', object: 'response', status, output });
  const CALL = (args: unknown): object => ({
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }],
  });

  it.each<[string, ClientDialectName, object, boolean]>([
    ['Chat', 'openai-chat', chatAnswer(CALL('{"a":1}'), 'tool_calls'), true],
    ['Chat, none', 'openai-chat', chatAnswer(CALL(''), 'tool_calls'), true],
    ['Chat, null', 'openai-chat', chatAnswer(CALL(null), 'tool_calls'), true],
    ['Chat, an object', 'openai-chat', chatAnswer(CALL({ a: 1 }), 'tool_calls'), true],
    ['Chat, broken off', 'openai-chat', chatAnswer(CALL('{"a":'), 'tool_calls'), false],
    ['Chat, broken off, a plain stop', 'openai-chat', chatAnswer(CALL('{"a":'), 'stop'), false],
    ['Chat, cut by its length', 'openai-chat', chatAnswer(CALL('{"a":'), 'length'), true],
    [
      'Chat, legacy',
      'openai-chat',
      chatAnswer({ function_call: { name: 'f', arguments: '{"a":' } }, 'function_call'),
      false,
    ],
    [
      'Chat, no name',
      'openai-chat',
      chatAnswer({ tool_calls: [{ id: 'c', function: { arguments: '{}' } }] }, 'tool_calls'),
      false,
    ],
    [
      'Chat, freeform',
      'openai-chat',
      chatAnswer({ tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'f', input: '{' } }] }, 'tool_calls'),
      true,
    ],
    [
      'Chat, the finish reason first',
      'openai-chat',
      { choices: [{ finish_reason: 'tool_calls', message: CALL('{') }] },
      false,
    ],
    ['Responses', 'openai-responses', response('completed', item({ arguments: '{"a":1}' })), true],
    ['Responses, none', 'openai-responses', response('completed', item({ arguments: '' })), true],
    ['Responses, broken off', 'openai-responses', response('completed', item({ arguments: '{"a":' })), false],
    ['Responses, no name', 'openai-responses', response('completed', item({ name: '', arguments: '{}' })), false],
    ['Responses, cut by its length', 'openai-responses', response('incomplete', item({ arguments: '{"a":' })), true],
    [
      'Responses, freeform',
      'openai-responses',
      response('completed', item({ type: 'custom_tool_call', input: '{"a":' })),
      true,
    ],
  ])('dialects §8: %s', (_what, dialect, body, whole) => {
    for (const speaker of SPEAKERS) {
      const request = requestOf(speaker, { stream: false });
      const lane = laneOf(speaker.codec, dialect)!.open({
        request,
        target: TARGET,
        servedModel: 'm',
        id: 'r',
        createdAt: 0,
      });
      lane.writeUpstream(request, { target: TARGET, degrade: null, injectUsage: false });
      const answer = lane.readAnswer(Buffer.from(JSON.stringify(body)));
      expect([speaker.client.name, answer !== null]).toEqual([speaker.client.name, whole]);
      if (whole) continue;
      const failure = lane.classify({
        status: 200,
        headers: {},
        body: Buffer.from(JSON.stringify(body)),
        inStream: false,
        vocabulary: vocabularyFor('generic'),
        wall: 0,
        phase: 'body',
        mask: (text) => text,
      });
      expect(failure).toMatchObject({
        class: 'malformed',
        maybeExecuted: true,
        message: BROKEN_CALL.message,
      });
    }
  });
});
