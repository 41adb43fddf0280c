import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type RawAnswer, type RawRequest, sendRaw } from '../../../test/faults/raw-client.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator.ts';

const running: Simulator[] = [];

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(options);
  running.push(simulator);
  return simulator;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

const HI = { role: 'user', parts: [{ text: 'say it back' }] };
const TOOLS = {
  tools: [
    {
      functionDeclarations: ['get_weather', 'get_time'].map((name) => ({
        name,
        parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
      })),
    },
  ],
};
const THOUGHTS = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

type Verb = 'generateContent' | 'streamGenerateContent' | 'streamGenerateContent?alt=sse' | 'countTokens';
const EVENTS = 'streamGenerateContent?alt=sse';
const ARRAY = 'streamGenerateContent';

function ask(
  sim: Simulator,
  model: string,
  verb: Verb,
  fields = {},
  more: Partial<RawRequest> = {},
): Promise<RawAnswer> {
  return sendRaw({ url: `${sim.url}/v1beta/models/${model}:${verb}`, body: { contents: [HI], ...fields }, ...more });
}

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: object };
}
interface Chunk {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly Part[]; readonly role: string };
    readonly finishReason?: string;
    readonly finishMessage?: string;
    readonly index: number;
  }[];
  readonly promptFeedback?: { readonly blockReason: string };
  readonly usageMetadata: Readonly<Record<string, unknown>> & { readonly totalTokenCount: number };
  readonly error?: { readonly code: number; readonly status: string };
}

const eventsOf = (text: string): Chunk[] =>
  [...text.matchAll(/^data: (.*?)\r?$/gm)].map((match) => JSON.parse(match[1] ?? ''));
const partsOf = (chunks: readonly Chunk[], index = 0): Part[] =>
  chunks.flatMap((chunk) =>
    (chunk.candidates ?? []).filter((one) => one.index === index).flatMap((one) => one.content?.parts ?? []),
  );
const textOf = (chunks: readonly Chunk[], index = 0): string =>
  partsOf(chunks, index)
    .filter((part) => part.thought !== true)
    .map((part) => part.text ?? '')
    .join('');
const finishesOf = (chunks: readonly Chunk[]) =>
  chunks.flatMap((chunk) => (chunk.candidates ?? []).map((one) => one.finishReason ?? null));

const recorded = (file: string): string => readFileSync(new URL(`./fixtures/${file}`, import.meta.url), 'utf8');

/** Every path of keys in a chunk, list places aside. */
function shapeOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => shapeOf(one, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [path];
  // Arguments are the tool's own.
  if (path.endsWith('.args')) return [path];
  return Object.entries(value).flatMap(([key, one]) => shapeOf(one, `${path}.${key}`));
}

describe('answers', () => {
  it('X-1: whole and streamed in both forms say the same under one seed, and count the same tokens', async () => {
    const sims = await Promise.all([start({ seed: 3 }), start({ seed: 3 }), start({ seed: 3 })]);
    const [whole, events, array] = await Promise.all(
      (['generateContent', EVENTS, ARRAY] as const).map((verb, i) => ask(sims[i] as Simulator, 'ok', verb, THOUGHTS)),
    );
    const answer: Chunk = JSON.parse(whole?.text ?? '');
    const streams = [eventsOf(events?.text ?? ''), JSON.parse(array?.text ?? '') as Chunk[]];
    expect(events?.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(array?.headers['content-type']).toBe('application/json');
    expect(events?.text.endsWith('\r\n\r\n')).toBe(true);
    expect(events?.text).not.toMatch(/\[DONE\]|^event:/m);
    for (const chunks of streams) {
      expect(textOf(chunks)).toBe(textOf([answer]));
      expect(textOf(chunks)).not.toBe('');
      expect(chunks.at(-1)?.usageMetadata).toEqual(answer.usageMetadata);
      expect(finishesOf(chunks).filter((reason) => reason !== null)).toEqual(['STOP']);
      const totals = chunks.map((chunk) => chunk.usageMetadata.totalTokenCount);
      expect(totals).toEqual(totals.toSorted((a, b) => a - b));
      expect(partsOf(chunks).filter((part) => part.thought && part.text !== '')).toHaveLength(6);
      expect(partsOf(chunks).at(-1)?.thoughtSignature).toMatch(/^[A-Za-z0-9+/]+=*$/);
    }
    expect(sims[0]?.calls[0]).toMatchObject({ model: 'ok', answeredBy: 'ok', status: 200 });
  });

  it.each([
    ['gem-01-thought-text.sse', 'ok', THOUGHTS],
    ['gem-02-toolcalls.sse', 'tools', TOOLS],
    ['gem-05-cut.sse', 'cut-2', {}],
  ])('X-1: a stream has the shape of recorded ones: %s', async (file, model, fields) => {
    const real = eventsOf(recorded(file));
    const made = eventsOf((await ask(await start(), model, EVENTS, fields)).text);
    const known = new Set(real.flatMap((chunk) => shapeOf(chunk)));
    expect(made.flatMap((chunk) => shapeOf(chunk)).filter((path) => !known.has(path))).toEqual([]);
    const unseen = [...known].filter((path) => !made.flatMap((chunk) => shapeOf(chunk)).includes(path));
    expect(unseen).toEqual(['.usageMetadata.cachedContentTokenCount']);
  });

  it('X-1: thoughts are shown on request, and counted where there are some', async () => {
    const sim = await start();
    const hidden: Chunk = JSON.parse((await ask(sim, 'reasoning', 'generateContent')).text);
    expect(partsOf([hidden]).some((part) => part.thought)).toBe(false);
    expect(hidden.usageMetadata).toMatchObject({ thoughtsTokenCount: 6 });
    const sealed = eventsOf((await ask(sim, 'sealed', EVENTS, THOUGHTS)).text);
    expect(partsOf(sealed).some((part) => part.thought)).toBe(false);
    expect(partsOf(sealed).at(-1)?.thoughtSignature).toBeTypeOf('string');
    expect(sealed.at(-1)?.usageMetadata).toMatchObject({ thoughtsTokenCount: 6 });
    const { promptTokenCount, candidatesTokenCount, totalTokenCount } = hidden.usageMetadata;
    expect(totalTokenCount).toBe(Number(promptTokenCount) + Number(candidatesTokenCount) + 6);
    expect(JSON.parse((await ask(sim, 'ok', 'generateContent')).text).usageMetadata).not.toHaveProperty(
      'thoughtsTokenCount',
    );
  });

  it('X-1: parallel calls, the first one signed, with ids and without; its own history is taken back', async () => {
    const sim = await start();
    for (const verb of ['generateContent', EVENTS, ARRAY] as const) {
      const { text } = await ask(sim, 'tools', verb, TOOLS);
      const chunks = verb === EVENTS ? eventsOf(text) : [JSON.parse(text)].flat();
      const calls = partsOf(chunks).filter((part) => part.functionCall !== undefined);
      expect(calls.map((part) => part.functionCall?.name)).toEqual(['get_weather', 'get_time']);
      expect(calls.map((part) => part.functionCall?.args)).toEqual([{ city: 'sim' }, { city: 'sim' }]);
      expect(calls.map((part) => part.thoughtSignature !== undefined)).toEqual([true, false]);
      expect(calls.every((part) => typeof part.functionCall?.id === 'string')).toBe(true);
      expect(finishesOf(chunks).at(-1)).toBe('STOP');
      const results = calls.map(({ functionCall }) => ({
        functionResponse: { id: functionCall?.id, name: functionCall?.name, response: { output: 'fine' } },
      }));
      const contents = [HI, { role: 'model', parts: calls }, { role: 'user', parts: results }];
      const next: Chunk = JSON.parse((await ask(sim, 'tools', 'generateContent', { ...TOOLS, contents })).text);
      expect(textOf([next])).not.toBe('');
      expect(partsOf([next]).every((part) => part.functionCall === undefined)).toBe(true);
    }
    const bare: Chunk = JSON.parse((await ask(sim, 'tools:no-ids', 'generateContent', TOOLS)).text);
    expect(partsOf([bare]).map((part) => part.functionCall?.id)).toEqual([undefined, undefined]);
  });

  it('X-1: limits, filters, blocks, several candidates, JSON, logprobs', async () => {
    const sim = await start();
    const whole = async (model: string, generationConfig = {}): Promise<Chunk> =>
      JSON.parse((await ask(sim, model, 'generateContent', { generationConfig })).text);
    expect(finishesOf([await whole('ok', { maxOutputTokens: 2 })])).toEqual(['MAX_TOKENS']);
    const filtered = eventsOf((await ask(sim, 'filter', EVENTS)).text);
    expect(filtered.at(-1)?.candidates?.[0]).toMatchObject({
      finishReason: 'SAFETY',
      safetyRatings: [{ blocked: true }],
    });
    expect(filtered.at(-1)?.candidates?.[0]).not.toHaveProperty('content');
    for (const chunks of [[await whole('refusal')], eventsOf((await ask(sim, 'refusal', EVENTS)).text)]) {
      expect(chunks).toHaveLength(1);
      expect(chunks[0]).toMatchObject({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } });
      expect(chunks[0]).not.toHaveProperty('candidates');
    }
    const two = eventsOf((await ask(sim, 'ok', EVENTS, { generationConfig: { candidateCount: 2 } })).text);
    expect(textOf(two, 1)).not.toBe('');
    expect(finishesOf(two).filter((reason) => reason !== null)).toEqual(['STOP', 'STOP']);
    const schema = { type: 'OBJECT', properties: { n: { type: 'INTEGER', minimum: 3 } } };
    const json = await whole('ok', { responseMimeType: 'application/json', responseSchema: schema });
    expect(JSON.parse(textOf([json]))).toEqual({ n: 3 });
    const scored = await whole('ok', { responseLogprobs: true, logprobs: 2 });
    expect(scored).toMatchObject({ candidates: [{ logprobsResult: { logProbabilitySum: expect.closeTo(-0.6) } }] });
    expect(partsOf([await whole('empty')])).toEqual([]);
    expect(finishesOf(eventsOf((await ask(sim, 'empty', EVENTS)).text))).toEqual([null, 'STOP']);
  });

  it('X-1: labels choose how it ends: any finish reason, on every chunk, no candidate at all', async () => {
    const sim = await start();
    const lost = eventsOf((await ask(sim, 'tools:finish-malformed-function-call', EVENTS, TOOLS)).text);
    expect(finishesOf(lost)).toEqual([null, 'MALFORMED_FUNCTION_CALL']);
    expect(lost.at(-1)?.candidates?.[0]?.finishMessage).toBeTypeOf('string');
    expect(finishesOf([JSON.parse((await ask(sim, 'ok:finish-other', 'generateContent')).text)])).toEqual(['OTHER']);
    const every = eventsOf((await ask(sim, 'length:finish-every', EVENTS)).text);
    expect(new Set(finishesOf(every).slice(0, -1))).toEqual(new Set(['STOP']));
    expect(finishesOf(every).at(-1)).toBe('MAX_TOKENS');
    const blocked: Chunk = JSON.parse((await ask(sim, 'ok:block-jailbreak', 'generateContent')).text);
    expect(blocked.promptFeedback?.blockReason).toBe('JAILBREAK');
  });

  it('X-1: counts tokens, and lists its models to those who ask in its words', async () => {
    const sim = await start();
    const whole: Chunk = JSON.parse((await ask(sim, 'ok', 'generateContent')).text);
    const { totalTokens } = JSON.parse((await ask(sim, 'ok', 'countTokens')).text);
    expect(totalTokens).toBe(whole.usageMetadata['promptTokenCount']);
    expect((await ask(sim, 'fail-503', 'countTokens')).status).toBe(503);
    const list = JSON.parse((await sendRaw({ url: `${sim.url}/v1beta/models` })).text);
    expect(list.models.map((one: { name: string }) => one.name)).toContain('models/fail-503');
    expect(JSON.parse((await sendRaw({ url: `${sim.url}/v1/models` })).text)).toHaveProperty('data');
  });
});

describe('faults', () => {
  it('X-1: errors in the words of google.rpc, with details', async () => {
    const sim = await start();
    const limited = JSON.parse((await ask(sim, 'fail-429-30', EVENTS)).text).error;
    expect(limited).toMatchObject({ code: 429, status: 'RESOURCE_EXHAUSTED' });
    const details = new Map(limited.details.map((one: { '@type': string }) => [one['@type'].split('.').at(-1), one]));
    expect(details.get('RetryInfo')).toMatchObject({ retryDelay: '30s' });
    expect(details.get('QuotaFailure')).toMatchObject({ violations: [{ quotaValue: '60' }] });
    expect((await ask(sim, 'fail-429', EVENTS)).headers).not.toHaveProperty('retry-after');
    const statuses = async (status: number) =>
      JSON.parse((await ask(sim, `fail-${status}`, 'generateContent')).text).error.status;
    expect(await Promise.all([400, 403, 404, 418, 500, 503, 599].map(statuses))).toEqual([
      ...['INVALID_ARGUMENT', 'PERMISSION_DENIED', 'NOT_FOUND', 'INVALID_ARGUMENT'],
      ...['INTERNAL', 'UNAVAILABLE', 'INTERNAL'],
    ]);
    expect((await ask(sim, 'fail-502', EVENTS)).headers['content-type']).toBe('text/html');
    const refused = await ask(sim, 'ok', EVENTS, { n: 2 });
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text).error.details[0]).toMatchObject({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ description: expect.stringContaining('Unknown name "n"') }],
    });
    const key = await ask(sim, 'ok', EVENTS, {}, { headers: { authorization: 'Bearer k' } });
    expect(JSON.parse(key.text).error.details[0].reason).toBe('ACCESS_TOKEN_TYPE_UNSUPPORTED');
    expect((await ask(sim, 'fail-9000', EVENTS)).status).toBe(404);
  });

  it('X-1: cut-N, reset-N, hang-N count the opening and then pieces, in both forms and whole', async () => {
    const sim = await start();
    for (const name of ['cut-3', 'reset-3']) {
      const events = await ask(sim, name, EVENTS);
      expect([events.end, eventsOf(events.text).length, finishesOf(eventsOf(events.text))]).toEqual([
        'cut',
        3,
        [null, null, null],
      ]);
      const array = await ask(sim, name, ARRAY);
      expect([array.end, JSON.parse(`${array.text}]`).length]).toEqual(['cut', 3]);
      expect((await ask(sim, name, 'generateContent')).end).toBe('cut');
    }
    expect(textOf(eventsOf((await ask(sim, 'cut-1', EVENTS)).text))).toBe('');
    const hung = await ask(sim, 'hang-2', EVENTS, {}, { leaveAfterMs: 80 });
    expect([hung.end, eventsOf(hung.text).length]).toEqual(['left', 2]);
    expect((await ask(sim, 'hang', EVENTS, {}, { leaveAfterMs: 40 })).status).toBeNull();
    expect((await ask(sim, 'reset', EVENTS)).errorCode).toBe('ECONNRESET');
  });

  it('X-1: an error inside a stream: an event, an element, or bare JSON over several lines', async () => {
    const sim = await start();
    const events = eventsOf((await ask(sim, 'error-2', EVENTS)).text);
    expect(events.map((chunk) => chunk.error?.code)).toEqual([undefined, undefined, 500]);
    const array: Chunk[] = JSON.parse((await ask(sim, 'error-2', ARRAY)).text);
    expect(array.map((chunk) => chunk.error?.status)).toEqual([undefined, undefined, 'INTERNAL']);
    expect(JSON.parse((await ask(sim, 'error', ARRAY)).text)).toMatchObject([{ error: { code: 500 } }]);
    expect(JSON.parse((await ask(sim, 'error', 'generateContent')).text)).toMatchObject({ error: { code: 500 } });
    const { text } = await ask(sim, 'error-2-503:unframed', EVENTS);
    expect(eventsOf(text)).toHaveLength(2);
    const bare = (stream: string): string => /^\{.*$/ms.exec(stream)?.[0].replace(/"message": ".*"/, '') ?? stream;
    expect(bare(text)).toBe(bare(recorded('gem-08-error-unframed.sse')));
  });

  it('X-1: an error before a stream stands in an array where one was asked for', async () => {
    const sim = await start();
    expect(JSON.parse((await ask(sim, 'fail-503', ARRAY)).text)).toMatchObject([{ error: { code: 503 } }]);
    expect(JSON.parse((await ask(sim, 'too-long', ARRAY)).text)).toMatchObject([{ error: { code: 400 } }]);
    for (const verb of [EVENTS, 'generateContent'] as const) {
      expect(JSON.parse((await ask(sim, 'fail-503', verb)).text)).toMatchObject({ error: { code: 503 } });
    }
  });

  it('X-1: no finish reason, no end of the array, garbage, a page', async () => {
    const sim = await start();
    expect(finishesOf(eventsOf((await ask(sim, 'no-finish', EVENTS)).text)).every((one) => one === null)).toBe(true);
    const open = await ask(sim, 'no-done', ARRAY);
    expect(open.end).toBe('complete');
    expect(finishesOf(JSON.parse(`${open.text}]`)).at(-1)).toBe('STOP');
    expect(() => JSON.parse(open.text)).toThrow();
    const garbage = await ask(sim, 'garbage-2', EVENTS);
    expect(() => eventsOf(garbage.text)).toThrow();
    for (const name of ['garbage', 'garbage-2']) {
      const { status, text } = await ask(sim, name, ARRAY);
      expect(status).toBe(200);
      expect(() => JSON.parse(text)).toThrow();
    }
    expect((await ask(sim, 'html', EVENTS)).headers['content-type']).toMatch(/^text\/html/);
  });

  it('X-1: pauses, comments, line ends, splits, encodings', async () => {
    const sim = await start();
    const slow = await ask(sim, 'slow-150', EVENTS);
    expect((slow.reads[1]?.at ?? 0) - (slow.reads[0]?.at ?? 0)).toBeGreaterThan(100);
    const commented = await ask(sim, 'comments', EVENTS);
    expect(commented.text).toMatch(/^: SIMULATOR PROCESSING\r\n\r\n/);
    expect(finishesOf(eventsOf(commented.text)).at(-1)).toBe('STOP');
    expect(finishesOf(JSON.parse((await ask(sim, 'comments', ARRAY)).text)).at(-1)).toBe('STOP');
    expect((await ask(sim, 'split-1', EVENTS)).reads.length).toBeGreaterThan(300);
    expect(gunzipSync((await ask(sim, 'gzip', ARRAY)).body).toString()).toMatch(/^\[\{/);
    expect(eventsOf((await ask(sim, 'long-300', EVENTS)).text)).toHaveLength(301);
  });

  it('X-1: scripts and X-Sim play in this dialect too', async () => {
    const sim = await start({ script: { models: { m: [{ status: 503 }, { body: 'raw' }, {}] } } });
    expect(JSON.parse((await ask(sim, 'm', EVENTS)).text).error.status).toBe('UNAVAILABLE');
    expect((await ask(sim, 'm', EVENTS)).text).toBe('raw');
    expect(finishesOf(eventsOf((await ask(sim, 'm', EVENTS)).text)).at(-1)).toBe('STOP');
    const headers = { 'x-sim': 'status=429;retry_after=7;times=1' };
    expect(JSON.parse((await ask(sim, 'z', EVENTS, {}, { headers })).text).error.details).toContainEqual({
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: '7s',
    });
    expect((await ask(sim, 'z', EVENTS, {}, { headers })).status).toBe(200);
    const wrong = await ask(sim, 'z', EVENTS, {}, { headers: { 'x-sim': 'stauts=1' } });
    expect(JSON.parse(wrong.text).error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
  });
});
