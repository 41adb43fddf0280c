import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { vocabularyFor } from '../../providers/vocabularies.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type { CanonicalEvent, CanonicalReader, CanonicalReaderOptions } from '../canonical.ts';
import { chatClient, chatUpstream } from '../chat/translated.ts';
import type {
  ClientRequest,
  FailureSource,
  LaneSetup,
  StreamTapOptions,
  TranslatedUpstream,
  UpstreamWrite,
} from '../contract.ts';
import { crossPair } from './cross-lane.ts';

const OPTIONS: StreamTapOptions = {
  servedModel: 'served/m',
  includeUsage: true,
  n: 1,
  maxEventBytes: 1 << 20,
  maxPreludeBytes: 1 << 20,
  holdAll: false,
  maxHeldBytes: 1 << 23,
};
const target = { upstreamModel: 'up', vendor: 'maker', maxOutputTokens: null, lacks: new Set<string>() };
const write: UpstreamWrite = { target, degrade: null, injectUsage: true };

function request(more: object = {}): ClientRequest {
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: 'x' }],
    stream_options: { include_usage: true },
    ...more,
  };
  const read = chatClient.codec.readRequest(utf8(JSON.stringify(body)));
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

function setup(of: ClientRequest): LaneSetup {
  return { request: of, target, servedModel: 'served/m', id: 'r1', createdAt: 0 };
}

/** An upstream whose streams are a list of canonical events, and whatever else is wanted. */
function played(events: readonly CanonicalEvent[], ending: CanonicalReader['ending'] = 'proper'): TranslatedUpstream {
  const streamReader = (options: CanonicalReaderOptions): CanonicalReader => {
    const reader = {
      fault: null,
      ending: 'open' as CanonicalReader['ending'],
      pendingBytes: 0,
      push: () => {
        for (const event of events) options.emit(event);
        reader.ending = ending;
      },
      end: () => undefined,
    };
    return reader;
  };
  return { ...chatUpstream, canonical: { ...chatUpstream.canonical, streamReader } };
}

function tapOf(
  events: readonly CanonicalEvent[],
  options: Partial<StreamTapOptions> = {},
  ending?: CanonicalReader['ending'],
) {
  const of = request();
  const lane = crossPair(chatClient, played(events, ending)).open(setup(of));
  lane.writeUpstream(of, write);
  const tap = lane.streamTap({ ...OPTIONS, ...options });
  tap.push(utf8('x'));
  tap.end();
  return tap;
}

const text = (block = 0): CanonicalEvent => ({ type: 'block-start', block, choice: 0, what: { type: 'text' } });
const call = (block = 0): CanonicalEvent => ({
  type: 'block-start',
  block,
  choice: 0,
  what: { type: 'call', id: 'c', name: 'f', form: 'function' },
});
const delta = (words: string, block = 0): CanonicalEvent => ({ type: 'delta', block, text: words });
const end = (block = 0): CanonicalEvent => ({ type: 'block-end', block });
const finish = (finish: 'stop' | 'tool_calls' | 'length' | 'content_filter' = 'stop', choice = 0): CanonicalEvent => ({
  type: 'finish',
  choice,
  finish,
  raw: finish,
  stopSequence: null,
});
const faultOf = (events: readonly CanonicalEvent[], options?: Partial<StreamTapOptions>) =>
  tapOf(events, options).fault?.kind ?? null;

describe('streams across dialects', () => {
  it('T-5: whole with every finish reason', () => {
    const tap = tapOf([text(), delta('a'), end(), finish()]);
    expect([tap.complete, tap.suspicious, tap.finished, tap.ready, tap.finishReasons]).toEqual([
      true,
      false,
      true,
      'content',
      ['stop'],
    ]);
    const out = textOf(tap.drain()!) + textOf(tap.tail(utf8('{"r":1}'), false));
    expect(out).toContain('"understudy":{"r":1}');
    expect(out.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it.each([
    ['a choice without finish reason', [text(), delta('a'), end()], 'cut'],
    ['an open block', [text(), delta('a')], 'cut'],
    ['nothing at all', [], 'cut'],
    ['a delta of no block', [delta('a')], 'malformed'],
    ['a delta of a closed block', [text(), end(), delta('a')], 'malformed'],
    ['two open blocks', [text(), text(1)], 'malformed'],
    ['a block out of its order', [text(1)], 'malformed'],
    ['a block behind the finish reason', [finish(), text()], 'malformed'],
    ['a finish reason inside of a block', [text(), finish()], 'malformed'],
    ['two finish reasons', [finish(), finish()], 'malformed'],
    ['a choice nobody asked for', [finish('stop', 1)], 'malformed'],
    ['an end of no block', [end()], 'malformed'],
  ])('T-5, T-10: %s never looks whole', (_, events, kind) => {
    expect(faultOf(events)).toBe(kind);
    expect(tapOf(events).complete).toBe(false);
  });

  it('dialects §14.16: arguments that are no JSON: unusable while held, doubtful once shown', () => {
    const cut = [call(), delta('{"a":'), end(), finish('tool_calls')];
    expect(faultOf(cut, { holdAll: true })).toBe('malformed');
    const shown = tapOf(cut);
    expect([shown.complete, shown.suspicious]).toEqual([true, true]);
    const length = tapOf([call(), delta('{"a":'), end(), finish('length')], { holdAll: true });
    expect([length.complete, length.suspicious]).toEqual([true, false]);
    const none = tapOf([call(), end(), finish('tool_calls')], { holdAll: true });
    expect([none.complete, none.suspicious]).toEqual([true, false]);
  });

  it('dialects §14.16: so are long ones, of which only brackets are counted', () => {
    const long = (tail: string) => [
      call(),
      delta(`{"a":"${'x'.repeat(300_000)}`),
      delta(tail),
      end(),
      finish('tool_calls'),
    ];
    expect(faultOf(long('"}'), { holdAll: true })).toBeNull();
    expect(faultOf(long('}'), { holdAll: true })).toBe('malformed');
  });

  it('T-5: without the terminator it is doubtful, and a cut if a choice is missing', () => {
    const events = [text(), delta('a'), end(), finish()];
    expect(tapOf(events, {}, 'doubtful')).toMatchObject({ complete: true, suspicious: true });
    expect(tapOf(events, { n: 2 }, 'doubtful').fault).toEqual({ kind: 'cut' });
    expect(tapOf(events, { n: 2 })).toMatchObject({ complete: true, suspicious: true });
    expect(tapOf(events, {}, 'open').fault).toEqual({ kind: 'cut' });
  });

  it('F-5: filtered without an answer, filtered with one, refused, empty', () => {
    expect(tapOf([finish('content_filter')]).ready).toBe('filtered');
    expect(tapOf([text(), delta('a'), end(), finish('content_filter')], { holdAll: true }).ready).toBe('refusal');
    expect(tapOf([finish()]).ready).toBe('empty');
    const refusal: CanonicalEvent = { type: 'block-start', block: 0, choice: 0, what: { type: 'refusal' } };
    expect(tapOf([refusal, delta('no'), end(), finish()], { holdAll: true }).ready).toBe('refusal');
  });

  it('T-9: nothing is ready before its end where all is held', () => {
    const events = [text(), delta('a')];
    expect(tapOf(events, { holdAll: true }, 'open').ready).toBeNull();
    expect(tapOf(events, {}, 'open').ready).toBe('content');
  });
});

describe('requests and answers across dialects', () => {
  it('R-4: one reading of the request for every attempt, another for another `degrade`', () => {
    let reads = 0;
    const client = {
      ...chatClient,
      canonical: {
        ...chatClient.canonical,
        readRequest: (of: ClientRequest) => {
          reads++;
          return chatClient.canonical.readRequest(of);
        },
      },
    };
    const pair = crossPair(client, chatUpstream);
    const of = request({ seed: 1 });
    pair.misses(of, null, target);
    pair.open(setup(of)).writeUpstream(of, write);
    expect(reads).toBe(1);
    const degrade = { drop_params: ['seed'], max_output_tokens: 5 };
    const body = pair.open(setup(of)).writeUpstream(of, { ...write, degrade });
    expect(reads).toBe(2);
    expect(body.changes).toEqual(['dropped seed', 'max_completion_tokens set to 5']);
    expect(body.dropped).toBe(true);
    expect(textOf(body.bytes)).not.toContain('seed');
  });

  it('R-4: what cannot be read is told as the client’s own fault', () => {
    const of = request({ tool_choice: 'sometimes' });
    const miss = crossPair(chatClient, chatUpstream).misses(of, null, target);
    expect(miss?.fault).toMatchObject({ status: 400, code: 'invalid_parameter', param: 'tool_choice' });
  });

  it('G-4: an answer keeps the counts its upstream told', () => {
    const of = request();
    const lane = crossPair(chatClient, chatUpstream).open(setup(of));
    const answer = lane.readAnswer(
      utf8('{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3}}'),
    );
    expect(answer?.usage).toMatchObject({ input: 3, output: null });
    expect(lane.readAnswer(utf8('{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}'))?.usage).toBeNull();
  });

  it('dialects §8: an answer whose call broke off is none', () => {
    const of = request();
    const lane = crossPair(chatClient, chatUpstream).open(setup(of));
    const body = (args: string, finish: string) =>
      utf8(
        JSON.stringify({
          choices: [
            { message: { tool_calls: [{ id: 'c', function: { name: 'f', arguments: args } }] }, finish_reason: finish },
          ],
        }),
      );
    expect(lane.readAnswer(body('{"a":', 'tool_calls'))).toBeNull();
    expect(lane.readAnswer(body('{"a":', 'stop'))).toBeNull();
    expect(lane.readAnswer(body('{"a":', 'length'))).not.toBeNull();
    expect(lane.readAnswer(body('{"a":1}', 'tool_calls'))).not.toBeNull();
  });
});

const folder = new URL('../chat/fixtures/streams/', import.meta.url);
const bytesOf = (file: string): Buffer => readFileSync(new URL(file, folder));
const { streams } = JSON.parse(bytesOf('index.json').toString()) as {
  streams: { file: string; usage: { input: number } | null }[];
};

/** Verdict of a tap in one word. */
function verdict(tap: {
  complete: boolean;
  suspicious: boolean;
  ready: string | null;
  fault: { kind: string } | null;
}): string {
  return [tap.ready, tap.complete ? (tap.suspicious ? 'doubtful' : 'whole') : 'open', tap.fault?.kind].join(' ');
}

describe.each(streams.filter(({ file }) => file.endsWith('.sse')))('$file', ({ file, usage }) => {
  it('T-1, T-5: the same verdict as in its own dialect, however it is cut into pieces', () => {
    const bytes = bytesOf(file);
    const native = chatClient.codec.streamTap(OPTIONS);
    native.push(bytes);
    native.end();
    const of = request({ reasoning_effort: 'low' });
    const pair = crossPair(chatClient, chatUpstream);
    for (let at = 0; at <= bytes.length; at++) {
      const tap = pair.open(setup(of)).streamTap(OPTIONS);
      tap.push(bytes.subarray(0, at));
      const own = chatClient.codec.streamTap(OPTIONS);
      own.push(bytes.subarray(0, at));
      expect(tap.ready).toBe(own.ready);
      tap.push(bytes.subarray(at));
      tap.end();
      expect(verdict(tap)).toBe(verdict(native));
      expect(tap.usage?.input ?? null).toBe(usage?.input ?? null);
      if (!tap.complete) continue;
      const written = Buffer.concat([tap.drain() ?? Buffer.alloc(0), tap.tail(null, false)]);
      const again = chatClient.codec.streamTap(OPTIONS);
      again.push(written);
      again.end();
      expect([again.complete, again.suspicious, again.fault]).toEqual([true, false, null]);
    }
  });
});

describe('failures across dialects', () => {
  it('F-1: the upstream’s own dialect reads its failures', () => {
    const lane = crossPair(chatClient, chatUpstream).open(setup(request()));
    const source: FailureSource = {
      status: 429,
      headers: {},
      body: utf8('{"error":{"message":"slow down","code":"rate_limit_exceeded"}}'),
      inStream: false,
      vocabulary: vocabularyFor('generic'),
      wall: 0,
      phase: 'body',
      mask: (words) => words,
    };
    expect(lane.classify(source).class).toBe('rate_limit');
    expect(lane.failedFinish('error')).toBe('server_error');
  });
});

describe('calls that broke off', () => {
  it('dialects §14.16: never end well for clients that would run them with no arguments at all', () => {
    const of = request();
    const codec = { ...chatClient.codec, dialect: 'anthropic' as const };
    // Some upstreams end calls by a plain stop: what is written of it is a call to be run all the same.
    for (const reason of ['tool_calls', 'stop'] as const) {
      const cut = [call(), delta('{"a":'), end(), finish(reason)];
      const lane = crossPair({ ...chatClient, codec }, played(cut)).open(setup(of));
      const tap = lane.streamTap(OPTIONS);
      tap.push(utf8('x'));
      expect([tap.ready, tap.complete, tap.fault?.kind]).toEqual(['content', false, 'malformed']);
    }
  });
});
