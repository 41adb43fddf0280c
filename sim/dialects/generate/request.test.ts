import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Memory } from '../../answer/memory.ts';
import type { Refusal, SimRequest } from '../../answer/request.ts';
import type { Ask, Place } from '../dialect.ts';
import { generateDialect } from './dialect.ts';
import { MESSAGES } from './message-types.ts';
import { makeSignature } from './signature.ts';

function askOf(url: string, headers: Record<string, string> = {}): Ask {
  const [path = '', query] = url.split('?');
  return { method: 'POST', path, query: new URLSearchParams(query), headers };
}

function read(body: unknown, url = '/v1beta/models/ok:generateContent', headers = {}): SimRequest | Refusal {
  const ask = askOf(url, headers);
  const place = generateDialect.match(ask);
  if (place === null) throw new Error(`nobody's path: ${url}`);
  return generateDialect.read(body, place, ask, new Memory());
}

function accepted(body: unknown, url?: string, headers = {}): SimRequest {
  const request = read(body, url, headers);
  if (!('model' in request)) throw new Error(request.message);
  return request;
}

function refusal(body: unknown, url?: string, headers = {}): string {
  const request = read(body, url, headers);
  return 'model' in request ? 'accepted' : request.message;
}

const user = (...parts: object[]) => ({ role: 'user', parts });
const model = (...parts: object[]) => ({ role: 'model', parts });
const call = (name: string, id?: string) => ({ functionCall: { name, args: {}, ...(id === undefined ? {} : { id }) } });
const result = (name: string, id?: string) => ({
  functionResponse: { name, response: { output: 1 }, ...(id === undefined ? {} : { id }) },
});
const HI = user({ text: 'say it back' });
const asked = (more: object = {}) => ({ contents: [HI], ...more });
const OBJECT = { type: 'OBJECT', properties: { city: { type: 'STRING' } } };
const declared = (declaration: object) => asked({ tools: [{ functionDeclarations: [{ name: 'f', ...declaration }] }] });

describe('paths', () => {
  const placed = (url: string): Place | null => generateDialect.match(askOf(url));

  it('X-1: any prefix; names may hold slashes and colons; the last colon starts the verb', () => {
    expect(placed('/v1/models/ok:eu:generateContent')).toMatchObject({ model: 'ok:eu', stream: false });
    expect(placed('/v1beta/models/a%2Fb:streamGenerateContent?alt=sse')).toMatchObject({
      model: 'a/b',
      stream: true,
      form: 'sse',
    });
    expect(placed('/v1/models/m:streamGenerateContent')).toMatchObject({ stream: true, form: 'array' });
    expect(placed('/v1/projects/p/locations/l/publishers/google/models/m:generateContent')?.model).toBe('m');
    expect(placed('/v1/models/m:countTokens')).toMatchObject({ operation: 'count_tokens', stream: false });
    expect(placed('/v1/models/%zz:generateContent')?.model).toBe('%zz');
    expect([placed('/v1/models/m'), placed('/v1/models/m:embedContent'), placed('/v1/chat/completions')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('X-1: a key belongs into its own header, or the query; strict models insist on one', () => {
    const url = '/v1beta/models/ok:generateContent';
    expect(refusal(asked(), url, { authorization: 'Bearer k' })).toMatch(/invalid authentication credentials/);
    expect(refusal(asked(), url, { 'x-api-key': 'k' })).toMatch(/unregistered callers/);
    expect(refusal(asked(), url)).toBe('accepted');
    expect(refusal(asked(), `${url}?key=k`, { authorization: 'Bearer other' })).toBe('accepted');
    expect(refusal(asked(), '/v1/models/strict-ok:generateContent')).toMatch(/unregistered callers/);
    expect(refusal(asked(), '/v1/models/strict-ok:generateContent', { 'x-goog-api-key': 'k' })).toBe('accepted');
    const project = '/v1/projects/p/locations/l/publishers/google/models/ok:generateContent';
    expect(refusal(asked(), project, { authorization: 'Bearer token' })).toBe('accepted');
    expect(refusal(asked(), `${url}?stream=true`)).toMatch(/Unknown name "stream": Cannot bind query/);
  });
});

describe('what is read', () => {
  it('X-1: names in both spellings, enough for a neutral request', () => {
    const request = accepted({
      system_instruction: { parts: [{ text: 'be brief' }] },
      contents: [user({ text: 'first' }), model({ text: 'yes' }), user({ text: 'look' }, { text: 'here' })],
      generation_config: {
        candidate_count: 2,
        maxOutputTokens: '7',
        stop_sequences: ['x'],
        responseMimeType: 'application/json',
        responseSchema: { type: 'ARRAY', items: { type: 'INTEGER', minimum: 4 } },
        responseLogprobs: true,
        logprobs: 3,
        thinkingConfig: { includeThoughts: true },
      },
    });
    expect(request).toMatchObject({
      model: 'ok',
      stream: false,
      n: 2,
      maxTokens: 7,
      stop: ['x'],
      schema: { type: 'array', items: { type: 'integer', minimum: 4 } },
      logprobs: 3,
      reasoning: true,
      lastUserText: 'look\nhere',
      lastRole: 'user',
    });
    expect(request.promptTokens).toBeGreaterThan(accepted(asked()).promptTokens);
  });

  it('X-1: tools and what may be called of them', () => {
    const tools = { tools: [{ functionDeclarations: [{ name: 'f', parameters: OBJECT }, { name: 'g' }] }] };
    const config = (functionCallingConfig: object) => asked({ ...tools, toolConfig: { functionCallingConfig } });
    expect(accepted(asked(tools))).toMatchObject({ toolChoice: 'auto' });
    expect(accepted(asked(tools)).tools[0]?.parameters).toMatchObject({ type: 'object' });
    expect(accepted(config({ mode: 'ANY' })).toolChoice).toBe('required');
    expect(accepted(config({ mode: 'NONE' })).toolChoice).toBe('none');
    expect(accepted(config({ mode: 'ANY', allowedFunctionNames: ['g'] })).toolChoice).toEqual({ name: 'g' });
    expect(refusal(config({ mode: 'AUTO', allowedFunctionNames: ['g'] }))).toMatch(/mode is ANY/);
    expect(refusal(config({ mode: 'ANY', allowedFunctionNames: ['h'] }))).toMatch(/h is not declared/);
    expect(refusal(asked({ toolConfig: { functionCallingConfig: { mode: 'ANY' } } }))).toMatch(/without function_decl/);
  });

  it('X-1: a count takes contents, or a whole request that names its model', () => {
    const url = '/v1/models/ok:countTokens';
    expect(accepted(asked(), url)).toMatchObject({ operation: 'count_tokens', stream: false });
    const generateContentRequest = {
      model: 'models/ok',
      ...asked({ systemInstruction: { parts: [{ text: 'a b c' }] } }),
    };
    expect(accepted({ generateContentRequest }, url).promptTokens).toBeGreaterThan(accepted(asked(), url).promptTokens);
    expect(refusal({ generateContentRequest: asked() }, url)).toMatch(/unexpected model name/);
    expect(refusal({ generateContentRequest, ...asked() }, url)).toMatch(/cannot both/);
    expect(refusal({}, url)).toMatch(/contents is not specified/);
    expect(refusal(asked({ tools: [] }), url)).toMatch(/Unknown name "tools"/);
  });
});

describe('what is refused', () => {
  it.each<[string, unknown, RegExp]>([
    ['no object', [], /Invalid value at '' .*GenerateContentRequest\), \[\]/],
    [
      'an unknown field',
      asked({ messages: [] }),
      /^Invalid JSON payload received. Unknown name "messages": Cannot find/,
    ],
    [
      'an unknown field inside',
      asked({ generationConfig: { n: 2 } }),
      /Unknown name "n" at 'generation_config': Cannot/,
    ],
    ['another kind of value', { contents: [user({ text: 5 })] }, /'contents\[0\].parts\[0\].text' \(TYPE_STRING\), 5/],
    ['both spellings', asked({ generation_config: {}, generationConfig: {} }), /Duplicate name "generationConfig"/],
    ['a word of no enumeration', asked({ safetySettings: [{ category: 'X' }] }), /HarmCategory\), "X"/],
    ['two kinds in a part', { contents: [user({ text: 'a', inlineData: {} })] }, /oneof field 'data' is already set/],
    [
      'bad base64',
      { contents: [user({ inlineData: { mimeType: 'image/png', data: '!' } })] },
      /Base64 decoding failed/,
    ],
    ['no contents', {}, /contents is not specified/],
    ['no parts', { contents: [user()] }, /parts must not be empty/],
    ['an empty text', { contents: [user({ text: '' })] }, /required oneof field 'data'/],
    ['another role', { contents: [{ role: 'assistant', parts: [{ text: 'a' }] }] }, /valid role: user, model/],
    ['a GIF', { contents: [user({ inlineData: { mimeType: 'image/gif', data: 'AA==' } })] }, /Unsupported MIME type/],
    ['any address', { contents: [user({ fileData: { fileUri: 'https://x.test/a.png' } })] }, /Cannot fetch content/],
    ['a file of others', { contents: [user({ fileData: { fileUri: 'files/a' } })] }, /permission to access the File/],
    ['a cached content', asked({ cachedContent: 'cachedContents/a' }), /CachedContent not found/],
    ['too hot', asked({ generationConfig: { temperature: 2.1 } }), /temperature: must be in the range/],
    ['six stops', asked({ generationConfig: { stopSequences: [...'abcdef'] } }), /must be <= 5/],
    [
      'two ways to think',
      asked({ generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } } }),
      /only one/,
    ],
    [
      'a schema for text',
      asked({ generationConfig: { responseSchema: OBJECT } }),
      /only allowed with response_mime_type/,
    ],
    ['pictures', asked({ generationConfig: { responseModalities: ['IMAGE'] } }), /response modalities: image/],
    ['a bad name', declared({ name: '1st' }), /Invalid function name/],
    [
      'a keyword of JSON Schema',
      declared({ parameters: { ...OBJECT, additionalProperties: false } }),
      /"additionalProperties"/,
    ],
    [
      'a list of types',
      declared({ parameters: { ...OBJECT, type: ['OBJECT', 'NULL'] } }),
      /not repeating, cannot start list/,
    ],
    ['an empty object', declared({ parameters: { type: 'OBJECT' } }), /should be non-empty for OBJECT type/],
    ['a list of nothing', declared({ parameters: { type: 'ARRAY' } }), /items: missing field/],
    ['numbers to choose from', declared({ parameters: { type: 'INTEGER', enum: ['1'] } }), /only allowed for STRING/],
    ['a format', declared({ parameters: { type: 'STRING', format: 'email' } }), /only 'enum' and 'date-time'/],
    [
      'a required nobody',
      declared({ parameters: { ...OBJECT, required: ['a'] } }),
      /required\[0\]: property is not defined/,
    ],
    ['two schemas', declared({ parameters: OBJECT, parametersJsonSchema: { type: 'object' } }), /cannot both be set/],
    [
      'built-in and own tools',
      asked({ tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'f' }] }] }),
      /cannot be combined/,
    ],
  ])('X-1: %s', (_, body, expected) => {
    expect(refusal(body)).toMatch(expected);
  });

  it('X-1: nothing that is JSON makes it throw, wherever it stands', () => {
    const fields = [
      'GenerateContentRequest',
      'Content',
      'Part',
      'Tool',
      'FunctionDeclaration',
      'GenerationConfig',
    ].flatMap((message) => Object.keys(MESSAGES[message] ?? {}));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 2 }),
        tie('known'),
      ),
      known: fc.dictionary(fc.constantFrom(...fields), tie('value'), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(value, (body) => {
        expect(refusal(body)).toBeTypeOf('string');
        expect(refusal({ contents: [HI, { role: 'model', parts: body }] })).toBeTypeOf('string');
        expect(refusal(declared({ parameters: body }))).toBeTypeOf('string');
        expect(refusal(body, '/v1/models/ok:countTokens')).toBeTypeOf('string');
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('X-1: a label that only looks like one of ours', () => {
    expect(refusal(asked(), '/v1/models/ok:finish-never:generateContent')).toMatch(/"finish-never" is no label/);
    expect(refusal(asked(), '/v1/models/ok:eu:finish-other:generateContent')).toBe('accepted');
  });
});

describe('calls in what was said', () => {
  const said = (...contents: object[]) => ({ contents });

  it('X-1: a call follows the user, its results follow it, one each', () => {
    expect(refusal(said(HI, model(call('f')), user(result('f'))))).toBe('accepted');
    expect(accepted(said(HI, model(call('f')), user(result('f')))).lastRole).toBe('tool');
    expect(refusal(said(HI, model(call('f', 'a'), call('f', 'b')), user(result('f', 'b'), result('f', 'a'))))).toBe(
      'accepted',
    );
    expect(refusal(said(model(call('f')), user(result('f'))))).toMatch(/function call turn comes immediately after/);
    expect(refusal(said(HI, model(call('f'))))).toMatch(/function response turn comes immediately after/);
    expect(refusal(said(HI, model(call('f')), HI))).toMatch(/function response turn comes immediately after/);
    expect(refusal(said(HI, user(result('f'))))).toMatch(/function response turn comes immediately after/);
    expect(refusal(said(HI, model(call('f'), call('g')), user(result('f'))))).toMatch(/number of function response/);
    expect(refusal(said(HI, model(call('f')), user(result('unknown'))))).toMatch(/awaits the function response/);
    expect(refusal(said(HI, model(call('f', 'a')), user(result('f', 'b'))))).toMatch(
      /awaits the function response `b`/,
    );
    expect(refusal(said(user(call('f'))))).toMatch(/of role model/);
  });

  it('X-1: signatures come back as they were; strict models take only their own, and want one', () => {
    const strict = '/v1/models/strict-tools:generateContent';
    const key = { 'x-goog-api-key': 'k' };
    const signed = (thoughtSignature: string) => said(HI, model({ ...call('f'), thoughtSignature }), user(result('f')));
    const own = makeSignature('strict-tools', 'call');
    const other = makeSignature('other', 'call');
    expect(refusal(signed(own), strict, key)).toBe('accepted');
    expect(refusal(signed(other))).toBe('accepted');
    expect(refusal(signed(other), strict, key)).toMatch(/Invalid thought signature/);
    expect(refusal(signed('CiQB'))).toMatch(/Invalid thought signature/);
    const altered = Buffer.from(Buffer.from(own, 'base64').toString().replace('call', 'cull')).toString('base64');
    expect(refusal(signed(altered))).toMatch(/Corrupted thought signature/);
    expect(refusal(signed('skip_thought_signature_validator'), strict, key)).toBe('accepted');
    const unsigned = said(
      HI,
      model(call('f'), { ...call('g'), thoughtSignature: own }),
      user(result('f'), result('g')),
    );
    expect(refusal(unsigned)).toBe('accepted');
    expect(refusal(unsigned, strict, key)).toMatch(/missing a thought_signature.*`default_api:f` , position 2\./);
    const earlier = said(HI, model(call('f')), user(result('f')), model({ text: 'done' }), HI);
    expect(refusal(earlier, strict, key)).toBe('accepted');
  });

  it('X-1: the chunks of a stream, put into the history one by one, are one answer', () => {
    const chunks = [model({ text: '' }), model(call('f')), model(call('g')), model({ text: '' })];
    expect(refusal(said(HI, ...chunks, user(result('f'), result('g'))))).toBe('accepted');
    expect(refusal(said(HI, ...chunks, user(result('f')), user(result('g'))))).toMatch(/number of function response/);
  });
});
