import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type RawAnswer, type RawRequest, sendRaw } from '../../test/faults/raw-client.ts';
import { isFields } from '../answer/fields.ts';
import { readReadyMade, readyMadeNames } from '../answer/ready-made.ts';
import { plainDialects } from '../plain/dialects.ts';
import type { Step } from '../script/step.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { allDialects } from './table.ts';

/** How a dialect is asked for a model. `opens` = what its healthy stream begins with. */
interface Way {
  readonly dialect: string;
  readonly path: (stream: boolean, model: string) => string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: (stream: boolean, model: string) => object;
  /** The last words of a whole stream; null = it just ends. */
  readonly terminator: RegExp | null;
  /** Pieces of content shown so far. */
  readonly pieces: (text: string) => number;
  /** How its errors look; absent = an object named `error`. */
  readonly errors?: { readonly whole: RegExp; readonly streamed: RegExp };
  /** Nothing may stand between its events. */
  readonly wordless?: true;
}

const ASKED = [{ role: 'user', content: 'tell me' }];
const count = (pattern: RegExp) => (text: string) => text.match(pattern)?.length ?? 0;
const gemini = (form: string): Way => ({
  dialect: 'gemini',
  path: (stream, model) => `/v1beta/models/${model}:${stream ? `streamGenerateContent${form}` : 'generateContent'}`,
  headers: { 'x-goog-api-key': 'k' },
  body: () => ({ contents: [{ role: 'user', parts: [{ text: 'tell me' }] }] }),
  terminator: form === '' ? /\]\s*$/ : null,
  pieces: count(/"text": ?"[^"]/g),
});

const WAYS: readonly Way[] = [
  {
    dialect: 'openai-chat',
    path: () => '/v1/chat/completions',
    body: (stream, model) => ({ model, stream, messages: ASKED }),
    terminator: /data: \[DONE\]\n\n$/,
    pieces: count(/"content":"[^"]/g),
  },
  {
    dialect: 'anthropic',
    path: () => '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01', 'x-api-key': 'k' },
    body: (stream, model) => ({ model, stream, max_tokens: 500, messages: ASKED }),
    terminator: /event: message_stop\ndata: .*\n\n$/,
    pieces: count(/"type":"text_delta","text":"[^"]/g),
  },
  {
    dialect: 'openai-responses',
    path: () => '/v1/responses',
    body: (stream, model) => ({ model, stream, input: 'tell me' }),
    terminator: /event: response\.completed\ndata: .*\n\n$/,
    pieces: count(/^event: response\.output_text\.delta$/gm),
  },
  gemini('?alt=sse'),
  gemini(''),
  {
    dialect: 'bedrock',
    path: (stream, model) => `/model/${model}/converse${stream ? '-stream' : ''}`,
    body: () => ({ messages: [{ role: 'user', content: [{ text: 'tell me' }] }] }),
    terminator: /:event-type\W+metadata/,
    pieces: count(/"delta":\{"text":"[^"]/g),
    errors: { whole: /^\{"message":/, streamed: /:exception-type\W+[a-z]\w+Exception/ },
    wordless: true,
  },
];

const ERRORS = { whole: /"error": ?\{/, streamed: /"?error"?/ };

const running: Simulator[] = [];

/** Every call is the first of its simulator and of one model: without faults they all get the same bytes. */
async function play(way: Way, step: Step, stream: boolean, more: Partial<RawRequest> = {}): Promise<RawAnswer> {
  const sim = await startSimulator({ seed: 11, script: { models: { m: [step] } } });
  running.push(sim);
  const { path, headers, body } = way;
  return sendRaw({
    url: sim.url + path(stream, 'm'),
    headers: { 'content-type': 'application/json', ...headers },
    body: body(stream, 'm'),
    ...more,
  });
}

const named = (name: string): Step => ({ random: { [name]: 1 } });

afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

it('X-1: every dialect of the conversation is tried here', () => {
  const asked = allDialects().filter((dialect) => !plainDialects.includes(dialect));
  expect(new Set(WAYS.map((way) => way.dialect))).toEqual(new Set(asked.map((dialect) => dialect.name)));
});

describe.each(WAYS.map((way) => [`${way.dialect} ${way.path(true, 'm')}`, way] as const))('%s', (_title, way) => {
  it('X-1: cut, reset and hang break the healthy stream off at the same places as in every dialect', async () => {
    const healthy = await play(way, {}, true);
    expect([healthy.status, healthy.end]).toEqual([200, 'complete']);
    if (way.terminator !== null) expect(healthy.text).toMatch(way.terminator);
    const lengths: number[] = [];
    for (const [name, shown] of [
      ['cut-0', 0],
      ['cut-1', 0],
      ['cut-3', 2],
      ['reset-3', 2],
      ['hang-3', 2],
    ] as const) {
      const answer = await play(way, named(name), true, name === 'hang-3' ? { leaveAfterMs: 80 } : {});
      expect([answer.status, answer.end], name).toEqual([200, name === 'hang-3' ? 'left' : 'cut']);
      expect(healthy.text.startsWith(answer.text), name).toBe(true);
      expect(answer.text.length, name).toBeLessThan(healthy.text.length);
      // A dialect without an opening shows its first piece in its place.
      const pieces = way.pieces(answer.text);
      expect(pieces === shown || (way.dialect === 'gemini' && pieces === Math.max(shown, 1)), name).toBe(true);
      lengths.push(answer.text.length);
    }
    expect(lengths[2]).toBe(lengths[3]);
    expect(lengths[2]).toBe(lengths[4]);
  });

  it('X-1: errors and garbage come after the good events, and end the stream', async () => {
    const shown = (await play(way, named('cut-3'), true)).text;
    for (const name of ['error-3', 'error-3-529', 'error-3-429', 'garbage-3']) {
      const answer = await play(way, named(name), true);
      expect([answer.status, answer.end], name).toEqual([200, 'complete']);
      expect(answer.text.startsWith(shown), name).toBe(true);
      const rest = answer.text.slice(shown.length);
      if (name.startsWith('error')) expect(rest, name).toMatch((way.errors ?? ERRORS).streamed);
      else expect(rest).toContain('"choices":[{"del');
      if (way.terminator !== null && way.dialect !== 'gemini') expect(rest, name).not.toMatch(way.terminator);
    }
    const [one, other] = await Promise.all([play(way, named('error-0'), true), play(way, named('error-0-529'), true)]);
    expect(one.text).not.toBe(other.text);
  });

  it('X-1: without its terminator a stream is otherwise whole; without finish it says no reason', async () => {
    const healthy = (await play(way, {}, true)).text;
    const undone = await play(way, named('no-done'), true);
    expect(undone.end).toBe('complete');
    expect(healthy.startsWith(undone.text)).toBe(true);
    if (way.terminator === null) expect(undone.text).toBe(healthy);
    else expect(undone.text).not.toMatch(way.terminator);
    const unfinished = await play(way, named('no-finish'), true);
    expect(unfinished.end).toBe('complete');
    expect(unfinished.text).not.toMatch(
      /"(finish_reason|stop_reason|finishReason|stopReason)": ?"|response\.completed/,
    );
    expect(way.pieces(unfinished.text)).toBe(way.pieces(healthy));
  });

  it('X-1: encodings, writes and comments change nothing of what is said', async () => {
    const healthy = await play(way, {}, true);
    expect(gunzipSync((await play(way, named('gzip'), true)).body).toString()).toBe(healthy.text);
    expect((await play(way, named('split-7'), true)).text).toBe(healthy.text);
    expect((await play(way, named('drip-1'), true)).text).toBe(healthy.text);
    const commented = (await play(way, named('comments'), true)).text;
    if (way.wordless === true) expect(commented).toBe(healthy.text);
    else expect(commented.length).toBeGreaterThan(healthy.text.length);
    expect(commented.endsWith(healthy.text)).toBe(true);
    const carried = (await play(way, named('crlf'), true)).text;
    expect(carried.replaceAll('\r\n', '\n')).toBe(healthy.text.replaceAll('\r\n', '\n'));
    expect(carried.replaceAll('\r\n', '')).not.toMatch(/[\r\n]data:/);
  });

  it('X-1: whole answers: statuses, errors under 200, garbage, pages, halves', async () => {
    const healthy = await play(way, {}, false);
    expect(isFields(JSON.parse(healthy.text))).toBe(true);
    for (const [name, status] of [
      ['fail-400', 400],
      ['fail-429-7', 429],
      ['fail-500', 500],
      ['fail-529', 529],
      ['error', 200],
      ['error-0-429', 200],
    ] as const) {
      for (const stream of name.startsWith('fail') ? [true, false] : [false]) {
        const answer = await play(way, named(name), stream);
        expect(answer.status, name).toBe(status);
        expect(answer.text, name).toMatch((way.errors ?? ERRORS).whole);
        if (name === 'fail-429-7') expect(answer.headers['retry-after']).toBe('7');
        JSON.parse(answer.text);
      }
    }
    expect((await play(way, named('html'), true)).text).toMatch(/^<!DOCTYPE/);
    expect((await play(way, named('fail-502'), true)).headers['content-type']).toBe('text/html');
    const garbage = (await play(way, named('garbage'), false)).text;
    expect(() => JSON.parse(garbage)).toThrow();
    const half = await play(way, named('cut-3'), false);
    expect([half.end, healthy.text.startsWith(half.text)]).toEqual(['cut', true]);
    expect((await play(way, named('reset'), false)).status).toBeNull();
    expect((await play(way, named('hang'), true, { leaveAfterMs: 40 })).end).toBe('left');
  });

  it('X-1: faults with a meaning of their own are told in its words', async () => {
    const tooLong = await play(way, named('too-long'), true);
    expect([tooLong.status, tooLong.end]).toEqual([400, 'complete']);
    expect(tooLong.text).toMatch(/maximum|exceeds the context window|too long/);
    const noCredit = await play(way, named('no-credit'), false);
    expect([400, 429]).toContain(noCredit.status);
    expect(noCredit.text).toMatch(/billing|credit|per day/);
    expect(noCredit.headers['retry-after']).toBeUndefined();
  });

  it('X-1: X-Sim works, and a wrong one is refused in its words', async () => {
    const refused = await play(way, {}, false, { headers: { ...way.headers, 'x-sim': 'stat=1' } });
    expect([refused.status, refused.text.includes('unknown key')]).toEqual([400, true]);
    const failed = await play(way, {}, true, { headers: { ...way.headers, 'x-sim': 'status=503;retry_after=4' } });
    expect([failed.status, failed.headers['retry-after']]).toEqual([503, '4']);
  });

  it('X-1: every ready-made name that answers at all can be played, whole and as a stream', async () => {
    const silent = new Set(['hang', 'reset', 'not-http']);
    for (const name of readyMadeNames()) {
      const found = readReadyMade(name);
      const slow = isFields(found) && ['firstTokenMs', 'delayMs', 'gapMs'].some((key) => key in found);
      if (silent.has(name) || slow || name.startsWith('hang')) continue;
      for (const stream of [true, false]) {
        const answer = await play(way, named(name), stream);
        const fine = answer.status !== null || name.startsWith('mixed');
        const refused = answer.status === 400 && !(isFields(found) && 'fault' in found);
        expect(fine && !refused, `${name} ${stream} ${answer.text.slice(0, 200)}`).toBe(true);
      }
    }
  });
});
