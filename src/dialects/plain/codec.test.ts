import { describe, expect, it } from 'vitest';
import type { ErrorVocabulary } from '../../core/classify/vocabulary.ts';
import type { FailureSource, UpstreamWrite } from '../contract.ts';
import { boundCodec, boundRequest } from './bound-codec.ts';
import type { PlainEndpoint } from './endpoint.ts';
import { SPEECH, TRANSCRIPTION } from './endpoints/audio.ts';
import { COMPLETIONS } from './endpoints/completions.ts';
import { IMAGE_EDIT, IMAGE_GENERATION } from './endpoints/images.ts';
import { EMBEDDINGS, MODERATIONS, RERANK } from './endpoints/vectors.ts';
import { VIDEO } from './endpoints/videos.ts';
import { PLAIN_ENDPOINTS } from './endpoints.ts';
import { plainCodec } from './json-codec.ts';

const WRITE: UpstreamWrite = {
  target: { upstreamModel: 'upstream', vendor: 'v', maxOutputTokens: null, lacks: new Set() },
  degrade: null,
  injectUsage: true,
};

const VOCABULARY: ErrorVocabulary = {
  id: 'none',
  codes: new Map(),
  phrases: [],
  codeHeaders: [],
  requestIdHeaders: [],
  resetBuckets: [],
};

function requestOf(endpoint: PlainEndpoint, body: object | string) {
  const read = plainCodec(endpoint).readRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  if (!read.ok) throw new Error(`${read.error.code}: ${read.error.message}`);
  return read.value;
}

function failureOf(endpoint: PlainEndpoint, body: string, more: Partial<FailureSource> = {}) {
  return plainCodec(endpoint).classify({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body),
    inStream: false,
    vocabulary: VOCABULARY,
    wall: 0,
    phase: 'body',
    mask: (text) => text,
    ...more,
  });
}

const BODIES: ReadonlyMap<PlainEndpoint, object> = new Map<PlainEndpoint, object>([
  [EMBEDDINGS, { input: 'a' }],
  [MODERATIONS, { input: 'a' }],
  [RERANK, { query: 'a', documents: ['b'] }],
  [IMAGE_GENERATION, { prompt: 'a' }],
  [IMAGE_EDIT, { prompt: 'a', image: 'data:image/png;base64,AA' }],
  [SPEECH, { input: 'a', voice: 'v' }],
  [TRANSCRIPTION, { file: 'data:' }],
  [VIDEO, { prompt: 'a' }],
  [COMPLETIONS, { prompt: 'a' }],
]);

const EVERYTHING = { input: 'a', prompt: 'a', query: 'a', documents: ['a'], file: 'a' };

describe('requests', () => {
  it.each([...BODIES])(
    'C-1: of $operation, the model is swapped and our own fields are gone, the rest stays',
    (endpoint, body) => {
      const text = `{ "model":"m","models" : ["m"],"redundancy":{},"x_big":12345678901234567890, ${JSON.stringify(body).slice(1)}`;
      const request = requestOf(endpoint, text);
      expect(request).toMatchObject({ model: 'm', models: ['m'], redundancy: {} });
      const { bytes, changes } = plainCodec(endpoint).writeUpstream(request, WRITE);
      const written = Buffer.from(bytes).toString();
      expect(JSON.parse(written)).toMatchObject({ model: 'upstream', ...body });
      expect(written).toContain('"x_big":12345678901234567890');
      expect([written.includes('redundancy'), written.includes('models'), changes]).toEqual([false, false, []]);
    },
  );

  it.each(PLAIN_ENDPOINTS.filter(({ required }) => required.length > 0))(
    'E-5: $operation names what is missing',
    (endpoint) => {
      expect(() => requestOf(endpoint, { model: 'm' })).toThrow(
        `missing_required_parameter: \`${endpoint.required[0]}\` is missing.`,
      );
    },
  );

  it('dialects §1.1: a model in the path stands for one in the body', () => {
    const read = plainCodec(EMBEDDINGS).readRequest(Buffer.from('{"input":"a"}'), { model: 'deployment' });
    expect(read).toMatchObject({ ok: true, value: { model: 'deployment' } });
  });

  it('how an answer comes is read of the request', () => {
    expect(requestOf(IMAGE_GENERATION, { prompt: 'a' }).stream).toBe(false);
    expect(requestOf(IMAGE_GENERATION, { prompt: 'a', stream: true }).stream).toBe(true);
    expect(requestOf(SPEECH, { input: 'a' }).stream).toBe(true);
    expect(requestOf(TRANSCRIPTION, { file: 'x', response_format: 'srt' }).stream).toBe(true);
    expect(requestOf(TRANSCRIPTION, { file: 'x', response_format: 'verbose_json' }).stream).toBe(false);
    expect(requestOf(COMPLETIONS, { prompt: ['a', 'b'], n: 2 }).n).toBe(4);
    expect(requestOf(COMPLETIONS, { prompt: [1, 2, 3], n: 2 }).n).toBe(2);
  });

  it('R-4, D-5: what an entry takes out or bounds is told', () => {
    const request = requestOf(COMPLETIONS, { prompt: 'a', max_tokens: 50, seed: 1, suffix: null });
    const write = { ...WRITE, degrade: { drop_params: ['seed', 'suffix', 'model', 'stream'], max_output_tokens: 20 } };
    const { bytes, changes, dropped } = plainCodec(COMPLETIONS).writeUpstream(request, write);
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({
      prompt: 'a',
      max_tokens: 20,
      suffix: null,
      model: 'upstream',
    });
    expect([changes, dropped]).toEqual([['dropped seed', 'max_tokens 50 → 20'], true]);
    const longer = plainCodec(COMPLETIONS).writeUpstream(request, { ...WRITE, outputTokens: 100 });
    expect(longer.changes).toEqual(['max_tokens 50 → 100']);
  });

  it('T-8: counts are asked for in streams of text alone', () => {
    const asked = (endpoint: PlainEndpoint, body: object) =>
      Buffer.from(plainCodec(endpoint).writeUpstream(requestOf(endpoint, body), WRITE).bytes).toString();
    expect(asked(COMPLETIONS, { prompt: 'a', stream: true })).toContain('"stream_options":{"include_usage":true}');
    expect(asked(COMPLETIONS, { prompt: 'a' })).not.toContain('stream_options');
    expect(asked(IMAGE_GENERATION, { prompt: 'a', stream: true })).not.toContain('stream_options');
  });

  it('G-9: addresses that somebody is to fetch, and none that are only read', () => {
    const urls = (endpoint: PlainEndpoint, body: object) =>
      plainCodec(endpoint).suppliedUrls(requestOf(endpoint, body));
    expect(urls(IMAGE_EDIT, { prompt: 'http://no', image: ['http://a/1', 'data:image/png;base64,AA'] })).toEqual([
      { param: 'image', url: 'http://a/1' },
    ]);
    expect(urls(MODERATIONS, { input: [{ type: 'image_url', image_url: { url: 'file:///etc' } }] })).toEqual([
      { param: 'input', url: 'file:///etc' },
    ]);
    expect(urls(EMBEDDINGS, { input: ['http://a', 'http://b'] })).toEqual([]);
  });

  it('P-8: what lives at an account', () => {
    const named = (endpoint: PlainEndpoint, body: object) => plainCodec(endpoint).namedState(requestOf(endpoint, body));
    expect(named(IMAGE_EDIT, { prompt: 'x', images: [{ file_id: 'file-1' }] })).toEqual({
      param: 'images',
      id: 'file-1',
    });
    expect(named(SPEECH, { input: 'x', voice: { id: 'voice_1' } })).toEqual({ param: 'voice', id: 'voice_1' });
    expect(named(VIDEO, { prompt: 'x', video: { id: 'video_1' } })).toEqual({ param: 'video', id: 'video_1' });
    expect(named(EMBEDDINGS, { input: 'x', metadata: { id: '7' } })).toBeNull();
  });

  it('D-11: what makes something new', () => {
    const acts = PLAIN_ENDPOINTS.filter((one) => plainCodec(one).actsUpstream(requestOf(one, EVERYTHING))).map(
      ({ operation }) => operation,
    );
    expect(acts).toEqual(['image_generation', 'image_edit', 'speech', 'video']);
  });
});

describe('answers', () => {
  it('R-2, R-3: the served model where a model is named, the report beside it', () => {
    const codec = plainCodec(EMBEDDINGS);
    const answer = codec.readAnswer(
      Buffer.from('{"data":[{"embedding":[0.1]}],"model":"upstream","usage":{"prompt_tokens":3,"total_tokens":3}}'),
    );
    expect(answer?.usage).toMatchObject({ input: 3, total: 3 });
    const write = { servedModel: 'maker/m', report: Buffer.from('{"a":1}'), classic: false };
    expect(Buffer.from(codec.writeAnswer(answer!, write)).toString()).toBe(
      '{"data":[{"embedding":[0.1]}],"model":"maker/m","usage":{"prompt_tokens":3,"total_tokens":3},"understudy":{"a":1}}',
    );
    const image = plainCodec(IMAGE_GENERATION).readAnswer(Buffer.from('{"data":[{"url":"https://x"}]}'));
    expect(Buffer.from(codec.writeAnswer(image!, { ...write, report: null })).toString()).toBe(
      '{"data":[{"url":"https://x"}]}',
    );
  });

  it('G-4: what nobody counted can be estimated', () => {
    const bytes = (endpoint: PlainEndpoint, body: string) =>
      plainCodec(endpoint).readAnswer(Buffer.from(body))?.contentBytes;
    expect(bytes(IMAGE_GENERATION, '{"data":[{"url":"u"},{"b64_json":"AA"}]}')).toBe(8000);
    expect(bytes(COMPLETIONS, '{"choices":[{"text":"four"},{"text":"six it"}]}')).toBe(10);
    expect(bytes(TRANSCRIPTION, '{"text":"four"}')).toBe(4);
    expect(bytes(EMBEDDINGS, '{"data":[{"embedding":[1]}]}')).toBe(0);
  });

  it('dialects §11: counts in each form', () => {
    const usage = (endpoint: PlainEndpoint, body: string) =>
      plainCodec(endpoint).readAnswer(Buffer.from(body))?.usage ?? null;
    expect(
      usage(
        TRANSCRIPTION,
        '{"text":"","usage":{"type":"tokens","input_tokens":20,"input_token_details":{"audio_tokens":18},"output_tokens":4,"total_tokens":24}}',
      ),
    ).toMatchObject({ input: 20, audioInput: 18, output: 4 });
    expect(usage(TRANSCRIPTION, '{"text":"","usage":{"type":"duration","seconds":3}}')).toBeNull();
    expect(usage(RERANK, '{"results":[],"meta":{"tokens":{"input_tokens":7}}}')).toMatchObject({ input: 7 });
  });

  it.each([
    [EMBEDDINGS, '{"data":[]}'],
    [EMBEDDINGS, '{"data":[{"embedding":[1]},{}]}'],
    [MODERATIONS, '{"results":[]}'],
    [RERANK, '{"id":"x"}'],
    [COMPLETIONS, '{"choices":[]}'],
    [COMPLETIONS, '{"choices":[{"message":{"content":"hi"}}]}'],
    [TRANSCRIPTION, '{}'],
  ])('F-1: $operation without what was asked for is malformed, and asked for elsewhere: %s', (endpoint, body) => {
    expect(plainCodec(endpoint).readAnswer(Buffer.from(body))).toBeNull();
    expect(failureOf(endpoint, body)).toMatchObject({ class: 'malformed' });
  });

  it.each([
    [IMAGE_GENERATION, '{"created":1,"data":[]}', 'upstream_no_artifact'],
    [IMAGE_GENERATION, '{"data":[{"url":"","b64_json":null}]}', 'upstream_no_artifact'],
    [IMAGE_GENERATION, '{"data":[{"finish_reason":"content_filter"}]}', 'upstream_rejected'],
    [IMAGE_EDIT, '{"data":[{"b64_json":"AA"},{"status":"MODERATED"}]}', 'upstream_rejected'],
    [VIDEO, '{"object":"video"}', 'upstream_no_artifact'],
    [VIDEO, '{"id":"v","status":"failed","error":{"code":"moderation_blocked","message":"no"}}', 'upstream_rejected'],
    [SPEECH, '{"ok":true}', 'upstream_no_artifact'],
  ])('S0: a generation that came to nothing is final: %j', (endpoint, body, code) => {
    expect(plainCodec(endpoint).readAnswer(Buffer.from(body))).toBeNull();
    expect(failureOf(endpoint, body)).toMatchObject({ class: 'generation_rejected', code, maybeExecuted: false });
  });

  it('S0: sound that is all head is none', () => {
    expect(failureOf(SPEECH, '', { headers: { 'content-type': 'audio/mpeg' } })).toMatchObject({
      class: 'generation_rejected',
      code: 'upstream_no_artifact',
    });
  });

  it.each([
    [IMAGE_GENERATION, '{"error":{"code":"upstream_rejected","message":"no"}}', 200, 'generation_rejected'],
    [EMBEDDINGS, '{"error":{"code":"upstream_no_artifact"}}', 500, 'generation_rejected'],
    [IMAGE_GENERATION, '{"error":{"code":"rate_limit_exceeded","message":"slow down"}}', 200, 'rate_limit'],
    [IMAGE_GENERATION, '{"error":{"code":"moderation_blocked","message":"no"}}', 400, 'content_policy'],
    [IMAGE_GENERATION, '<html><title>Bad</title></html>', 200, 'malformed'],
    [VIDEO, '{"id":"v","stat', 200, 'malformed'],
    [SPEECH, '{"error":{"message":"no capacity"}}', 503, 'overloaded'],
  ])('F-1, S0: %j says %s itself', (endpoint, body, status, expected) => {
    expect(failureOf(endpoint, body, { status }).class).toBe(expected);
  });

  it('F-5: a whole answer to a request that wanted a stream', () => {
    const write = { servedModel: 'maker/m', report: Buffer.from('{"a":1}'), classic: false };
    const stream = (endpoint: PlainEndpoint, body: object, answer: string) => {
      const codec = plainCodec(endpoint);
      return Buffer.from(
        codec.answerToStream(codec.readAnswer(Buffer.from(answer))!, write, requestOf(endpoint, body)),
      ).toString();
    };
    expect(
      stream(
        IMAGE_GENERATION,
        { prompt: 'a', stream: true },
        '{"created":7,"data":[{"b64_json":"AA"}],"usage":{"total_tokens":3}}',
      ),
    ).toBe(
      'event: image_generation.completed\ndata: {"b64_json":"AA","type":"image_generation.completed","created_at":7,"usage":{"total_tokens":3},"understudy":{"a":1}}\n\n',
    );
    expect(stream(TRANSCRIPTION, { file: 'x', stream: true }, '{"text":"hi"}')).toBe(
      'data: {"type":"transcript.text.delta","delta":"hi"}\n\ndata: {"type":"transcript.text.done","text":"hi","understudy":{"a":1}}\n\n',
    );
    expect(stream(TRANSCRIPTION, { file: 'x', response_format: 'text' }, '{"text":"hi"}')).toBe('hi');
    expect(
      stream(
        COMPLETIONS,
        { prompt: 'a', stream: true },
        '{\n"model":"u","choices":[{"text":"hi","finish_reason":"stop"}]}',
      ),
    ).toBe(
      'data: { "model":"maker/m","choices":[{"text":"hi","finish_reason":"stop"}],"understudy":{"a":1}}\n\ndata: [DONE]\n\n',
    );
  });

  it('E-4: a configured text stands for text, for nothing else', () => {
    const text = { text: 'busy', id: 'req_1', model: 'm', createdAt: 5000, n: 2 };
    expect(plainCodec(COMPLETIONS).staticAnswer(text).finishReasons).toEqual(['stop', 'stop']);
    expect(() => plainCodec(EMBEDDINGS).staticAnswer(text)).toThrow(/no text stands for/);
  });
});

describe('calls on what lives upstream', () => {
  const codec = boundCodec('openai-chat', 'video');
  const call = { method: 'GET', path: '/video_1/content', query: '' } as const;

  it('P-8: one attempt, which nobody pays for twice', () => {
    const request = boundRequest('maker/m', call, false);
    expect(request).toMatchObject({ model: 'maker/m', redundancy: { max_attempts: 1, retries: 0, on_exhausted: [] } });
    const answer = codec.readAnswer(
      Buffer.from('{"id":"video_1","model":"u","error":{"code":"x"},"usage":{"input_tokens":5}}'),
    );
    expect(answer?.usage).toMatchObject({ input: 0, output: 0, estimated: false });
    expect([codec.actsUpstream(request), codec.namedState(request)]).toEqual([false, { param: 'id', id: 'video_1' }]);
    expect(codec.actsUpstream(boundRequest('m', { ...call, method: 'DELETE' }, false))).toBe(true);
  });

  it('H-2: an id that is gone is nobody’s fault', () => {
    const source = { headers: {}, inStream: false, wall: 0, phase: 'body', mask: (text: string) => text } as const;
    const body = Buffer.from('{"error":{"code":"model_not_found","message":"gone"}}');
    expect(codec.classify({ ...source, status: 404, body, vocabulary: VOCABULARY })).toMatchObject({
      class: 'invalid_request',
      status: 404,
    });
    expect(codec.classify({ ...source, status: 503, body: Buffer.from(''), vocabulary: VOCABULARY })).toMatchObject({
      class: 'overloaded',
    });
  });
});
