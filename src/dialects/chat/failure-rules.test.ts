import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeMasker } from '../../core/classify/mask.ts';
import { FAILURE_CLASSES, type Failure } from '../../core/failure.ts';
import { vocabularyFor } from '../../providers/vocabularies.ts';
import type { FailureSource } from '../contract.ts';
import { FAILED_FINISH } from './answer-fault.ts';
import { classifyAnswer } from './failure.ts';

const GENERIC = vocabularyFor('generic');
const HTML = '<html><head><title>Oops &amp; sorry</title></head><body>x</body></html>';

function classify(status: number, body: unknown, extra: Partial<FailureSource> = {}): Failure {
  const bytes =
    body instanceof Uint8Array
      ? body
      : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
  return classifyAnswer({
    status,
    headers: {},
    body: bytes,
    inStream: false,
    vocabulary: GENERIC,
    wall: Date.UTC(2026, 10, 29),
    phase: 'body',
    mask: (text) => text,
    ...extra,
  });
}

describe('F-6: statuses without a code', () => {
  it.each([
    [400, 'invalid_request'],
    [401, 'auth'],
    [402, 'quota_exhausted'],
    [403, 'permission'],
    [404, 'model_not_found'],
    [405, 'invalid_request'],
    [408, 'timeout'],
    [409, 'invalid_request'],
    [412, 'quota_exhausted'],
    [413, 'payload_too_large'],
    [422, 'invalid_request'],
    [424, 'server_error'],
    [425, 'server_error'],
    [429, 'rate_limit'],
    [451, 'invalid_request'],
    [499, 'server_error'],
    [500, 'server_error'],
    [501, 'server_error'],
    [502, 'server_error'],
    [503, 'overloaded'],
    [504, 'timeout'],
    ...[520, 521, 523, 525, 526, 527, 530].map((status) => [status, 'server_error'] as const),
    [522, 'timeout'],
    [524, 'timeout'],
    [529, 'overloaded'],
    ...[100, 301, 302, 307, 308, 600, 999, 0].map((status) => [status, 'malformed'] as const),
  ] as const)('%d is %s, with and without a page', (status, expected) => {
    expect(classify(status, '').class).toBe(expected);
    expect(classify(status, HTML).class).toBe(expected);
  });

  it('only 522 is a connect timeout', () => {
    expect(classify(522, HTML).connectTimeout).toBe(true);
    expect(classify(524, HTML).connectTimeout).toBe(false);
    expect(classify(522, { error: { code: 'insufficient_quota' } }).connectTimeout).toBe(false);
  });
});

describe('F-2: maybe executed', () => {
  const error = { error: { message: 'no', code: 'x' } };

  it.each([
    [408, ''],
    [408, error],
    [504, error],
    [504, HTML],
    [524, HTML],
    [520, HTML],
    [502, ''],
    [503, ' \r\n'],
    [200, ''],
    [200, { choices: [] }],
    [200, { choices: null }],
    [200, '{"id":"x","choices":[{"mess'],
    [204, ''],
  ])('true for %d %j', (status, body) => {
    expect(classify(status, body).maybeExecuted).toBe(true);
  });

  it.each([
    [500, ''],
    [500, error],
    [502, error],
    [503, error],
    [502, HTML],
    [503, HTML],
    [200, HTML],
    [200, error],
    [200, { choices: [{ finish_reason: 'error', message: { content: 'part' } }] }],
    [429, error],
    [429, '{"error":{"mess'],
    [400, ''],
    [301, ''],
    ...[521, 522, 523, 525, 526, 527, 528, 529, 530].map((status) => [status, HTML] as const),
    ...[521, 522, 523, 525, 526, 527, 528, 529, 530].map((status) => [status, ''] as const),
  ] as const)('false for %d %j', (status, body) => {
    expect(classify(status, body).maybeExecuted).toBe(false);
  });
});

describe('F-1: malformed successes', () => {
  it.each([
    ['a page', HTML],
    ['a page after a comment', `<!-- x -->\n${HTML}`],
    ['nothing', ''],
    ['space', '\r\n \t'],
    ['cut JSON', '{"id":"x","object":"chat.completion","choices":[{"index":0,"mess'],
    ['no choices', { id: 'x', object: 'chat.completion', choices: [] }],
    ['null choices', { choices: null }],
    ['an error object that names no class', { error: { message: 'hm' } }],
    ['bare text', 'rate limit exceeded'],
    ['a number', '42'],
    ['an array', '[]'],
  ])('%s', (_what, body) => {
    const failure = classify(200, body);
    expect(failure.class).toBe('malformed');
    expect(failure.triggers).toEqual(['server_error']);
    expect(failure.message).not.toContain('<');
  });

  it.each([
    ['null', { error: null, choices: [] }],
    ['empty text', { error: '', choices: [] }],
    ['empty object', { error: {}, choices: [] }],
    ['false', { error: false, choices: [] }],
  ])('an error of %s is none', (_what, body) => {
    expect(classify(200, body).maybeExecuted).toBe(true);
  });

  it('an error beside a part of an answer is heard', () => {
    const body = { error: { code: 429, message: 'no' }, choices: [{ message: { content: 'part' } }] };
    expect(classify(200, body).class).toBe('rate_limit');
  });

  it.each([...FAILED_FINISH])('F-6: finish reason %s is %s', (reason, expected) => {
    const failure = classify(200, { choices: [{ index: 0, message: { content: '' }, finish_reason: reason }] });
    expect(failure.class).toBe(expected);
    expect(failure.code).toBe(reason);
  });

  it('F-5: a filter without any answer is content_policy', () => {
    const body = { choices: [{ message: { content: null }, finish_reason: 'content_filter' }] };
    expect(classify(200, body).class).toBe('content_policy');
    expect(classify(200, { promptFeedback: { blockReason: 'SAFETY' } }).class).toBe('content_policy');
  });
});

describe('F-1: shapes of error bodies', () => {
  const quota = { message: 'no', code: 'insufficient_quota' };

  it.each([
    ['envelope', { error: quota }],
    ['flat', quota],
    ['array of one', [{ error: quota }]],
    ['errors', { errors: [{ message: 'x' }, quota] }],
    ['code as a lone word', { error: 'insufficient_quota' }],
    ['capital keys', { Error: { Code: 'InsufficientQuota', Message: 'no' } }],
    ['detail object', { detail: quota }],
    ['message object', { message: { detail: quota } }],
    ['JSON in the message', { error: { message: JSON.stringify({ error: quota }) } }],
    ['JSON in JSON in the message', { message: JSON.stringify({ error: { message: JSON.stringify(quota) } }) }],
    ['JSON behind words', { error: { message: `Error code: 400 - ${JSON.stringify({ error: quota })}` } }],
    [
      'dictionary behind words',
      { error: "Error code: 429 - {'error': {'message': 'no', 'code': 'insufficient_quota'}}" },
    ],
    ['whole body quoted twice', JSON.stringify(JSON.stringify({ error: quota }))],
    [
      'raw of a relay',
      { error: { message: 'Provider returned error', metadata: { raw: JSON.stringify({ error: quota }) } } },
    ],
    ['event frame', `event: error\r\ndata: ${JSON.stringify({ error: quota })}\r\n\r\n`],
    ['two lines', `{"status":"working"}\n${JSON.stringify({ error: quota })}`],
    ['text around it', `upstream said: ${JSON.stringify({ error: quota })}`],
    ['XML', '<?xml version="1.0"?><Error><Code>InsufficientQuota</Code><Message>no</Message></Error>'],
    ['cut', JSON.stringify({ error: { code: 'insufficient_quota', message: 'no '.repeat(50) } }).slice(0, 90)],
    ['type only', { error: { type: 'insufficient_quota', code: null } }],
    ['inner error', { error: { code: 'bad', innererror: { code: 'InsufficientQuota' } } }],
  ])('%s', (_what, body) => {
    expect(classify(400, body).class).toBe('quota_exhausted');
  });

  it('F-3: a byte order mark, CRLF and UTF-16 do not hide the error', () => {
    const text = `\uFEFF{\r\n "error": {\r\n  "code": "insufficient_quota" }\r\n}`;
    expect(classify(429, text).class).toBe('quota_exhausted');
    expect(classify(429, new Uint8Array(Buffer.from(text, 'utf16le'))).class).toBe('quota_exhausted');
  });

  it('F-3: a body over the limit is read as far as it goes', () => {
    const body = `{"error":{"code":"insufficient_quota","message":"${'x'.repeat(500_000)}`;
    const failure = classify(400, body);
    expect(failure.class).toBe('quota_exhausted');
    expect(failure.message.length).toBeLessThanOrEqual(2048);
  });

  it('what the client wrote, echoed by a validator, is not read', () => {
    const body = { detail: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: 'insufficient balance' }] };
    expect(classify(422, body).class).toBe('invalid_request');
  });
});

describe('F-1: numbers that are statuses', () => {
  it.each([
    [200, 529, 'overloaded'],
    [200, 503, 'overloaded'],
    [200, '504', 'timeout'],
    [200, 429, 'rate_limit'],
    [200, 401, 'auth'],
    [200, 400, 'invalid_request'],
    [200, 500, 'server_error'],
    [500, 429, 'rate_limit'],
    [429, 400, 'rate_limit'],
    [503, 500, 'overloaded'],
  ] as const)('status %d around code %j is %s', (status, code, expected) => {
    expect(classify(status, { error: { message: 'no', code } }, { inStream: status === 200 }).class).toBe(expected);
  });
});

describe('F-4: triggers', () => {
  it('any 429 is rate_limit, any 5xx server_error, beside the class', () => {
    expect(classify(429, { error: { message: 'the engine is overloaded' } }).triggers).toEqual([
      'server_error',
      'rate_limit',
    ]);
    expect(classify(500, { error: { code: 'insufficient_quota' } }).triggers).toEqual(['rate_limit', 'server_error']);
    expect(classify(400, { error: { code: 'context_length_exceeded' } }).triggers).toEqual([]);
  });
});

describe('F-2: what is kept', () => {
  it('the provider code, type, parameter, message, request id and rate limits', () => {
    const failure = classify(
      429,
      { error: { message: ' Slow down ', type: 'requests', param: 'n', code: 'rate_limit_exceeded' }, request_id: 'b' },
      { headers: { 'x-request-id': 'r1', 'x-ratelimit-remaining-requests': '0', 'retry-after': '7', server: 'x' } },
    );
    expect(failure).toMatchObject({
      code: 'rate_limit_exceeded',
      type: 'requests',
      param: 'n',
      message: 'Slow down',
      requestId: 'r1',
      hint: { ms: 7000, source: 'header:retry-after' },
      rateLimitHeaders: { 'x-ratelimit-remaining-requests': '0', 'retry-after': '7' },
      phase: 'body',
      status: 429,
    });
  });

  it.each([
    [{ error: { message: 'x' }, request_id: 'body-1' }, 'body-1'],
    [{ Response: { Error: { Code: 'X', Message: 'm' }, RequestId: 'body-2' } }, 'body-2'],
    [{ error: { message: 'It failed. Request id: 0217abcdef' } }, '0217abcdef'],
    [{ id: 'gen-1', error: { message: 'x' } }, 'gen-1'],
  ])('a request id inside the body: %j', (body, id) => {
    expect(classify(400, body).requestId).toBe(id);
  });

  it('the edge speaks last about ids', () => {
    const headers = { 'cf-ray': 'edge', 'request-id': 'own' };
    expect(classify(400, {}, { headers }).requestId).toBe('own');
    expect(classify(400, {}, { headers: { 'cf-ray': 'edge' } }).requestId).toBe('edge');
  });

  it('a number as code is kept as text, a code in a header too', () => {
    expect(classify(403, { code: 30011, message: 'x' }).code).toBe('30011');
    const headers = { 'x-amzn-errortype': 'ThrottlingException:http://x/' };
    expect(classify(400, { message: 'x' }, { headers })).toMatchObject({
      code: 'ThrottlingException',
      class: 'rate_limit',
    });
  });

  it('a relay that says nothing lets the one behind it speak', () => {
    const raw = JSON.stringify({ error: { message: 'your account is suspended due to insufficient balance' } });
    const failure = classify(429, { error: { message: 'Provider returned error', code: 429, metadata: { raw } } });
    expect(failure.message).toBe('Provider returned error: your account is suspended due to insufficient balance');
  });

  it('E-5: secrets in message, code, type and parameter are masked', () => {
    const secret = 'sk-test-AAAABBBBCCCC1234';
    const body = { error: { message: `bad key ${secret}`, code: secret, type: secret, param: secret } };
    const failure = classify(401, body, { mask: makeMasker([secret]) });
    expect(JSON.stringify(failure)).not.toContain('AAAABB');
    expect(failure.message).toBe('bad key ***');
  });

  it('E-1: never HTML', () => {
    expect(classify(502, HTML).message).toBe('upstream status 502 with a web page: Oops & sorry');
    expect(classify(200, HTML).message).toBe('the upstream answered with a web page: Oops & sorry');
  });

  it('D-3: a wait is read from text only once the class waits', () => {
    expect(classify(401, { error: { message: 'Invalid API key. Try again in 5 minutes' } }).hint).toBeNull();
    expect(classify(429, { error: { message: 'Rate limit. Try again in 5 minutes' } }).hint?.ms).toBe(300_000);
  });

  it('D-3: a reset header is no wait for a class that does not wait', () => {
    const headers = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '9s' };
    expect(classify(400, { error: { code: 'context_length_exceeded' } }, { headers }).hint).toBeNull();
    expect(classify(429, {}, { headers }).hint?.ms).toBe(9000);
  });

  it('D-3: dates are measured by the clock of the server, where it shows it', () => {
    const after = 'Wed, 21 Oct 2026 07:28:30 GMT';
    const headers = { date: 'Wed, 21 Oct 2026 07:28:00 GMT', 'retry-after': after };
    expect(classify(503, '', { headers }).hint?.ms).toBe(30_000);
    expect(
      classify(503, '', { headers: { 'retry-after': after }, wall: Date.UTC(2026, 9, 21, 7, 28, 29) }).hint?.ms,
    ).toBe(1000);
  });

  it('D-3: x-should-retry is kept', () => {
    expect(classify(500, '', { headers: { 'x-should-retry': 'false' } }).shouldRetry).toBe(false);
    expect(classify(500, '').shouldRetry).toBeNull();
  });
});

describe('F-1: a provider is read in its own words first', () => {
  const body = { error: { code: 'insufficient_quota', message: 'You exceeded your current quota.' } };

  it('the same code is a full minute here and an empty account there', () => {
    expect(classify(429, body).class).toBe('quota_exhausted');
    expect(classify(429, body, { vocabulary: vocabularyFor('dashscope') }).class).toBe('rate_limit');
  });

  it('an unknown provider is read by the general rules', () => {
    expect(classify(429, body, { vocabulary: vocabularyFor('nobody-knows') }).class).toBe('quota_exhausted');
  });
});

describe('F-3: any bytes give a verdict', () => {
  const headers = fc.dictionary(
    fc.constantFrom('content-type', 'retry-after', 'date', 'x-ratelimit-reset', 'x-amzn-errortype', 'x-request-id'),
    fc.oneof(fc.string(), fc.constantFrom('text/html', 'application/json; charset=utf-16', 'text/plain; charset=x')),
  );

  function check(status: number, body: Uint8Array, head: Record<string, string>, inStream: boolean): void {
    const failure = classify(status, body, { headers: head, inStream });
    expect(FAILURE_CLASSES).toContain(failure.class);
    expect(Buffer.byteLength(failure.message)).toBeLessThanOrEqual(2048);
    expect(failure.message).not.toBe('');
    if (failure.hint !== null) expect(Number.isInteger(failure.hint.ms)).toBe(true);
  }

  it('random bytes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), fc.uint8Array({ maxLength: 300 }), headers, fc.boolean(), check),
      { numRuns: 500 },
    );
  });

  it('random JSON under the keys errors use, cut anywhere', () => {
    const key = fc.constantFrom(
      ...['error', 'message', 'code', 'type', 'details', 'detail', 'metadata', 'raw', 'base_resp', 'status', 'choices'],
      ...['status_code', 'Response', 'retryDelay', 'retry_after', 'headers', 'finish_reason', 'errors', '__proto__'],
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(
          null,
          true,
          429,
          '429',
          0,
          -1,
          Number.MAX_VALUE,
          '{"error":',
          'Rate limit',
          '\ud800',
          '"',
          "{'a': None}",
        ),
        fc.string(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.constantFrom(200, 400, 429, 500, 503), value, fc.nat(400), (status, json, cut) => {
        const text = JSON.stringify(json) ?? '';
        check(status, new TextEncoder().encode(text), {}, false);
        check(status, new TextEncoder().encode(text.slice(0, cut)), {}, true);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['[', '{"error":', '{"error":"', '<', '<!---->', 'data: {', '"\\"', "{'", 'retry in 1', 'exceed a '])(
    'a flood of %j',
    (unit) => {
      const body = new TextEncoder().encode(unit.repeat(20_000));
      for (const status of [200, 429]) check(status, body, {}, false);
    },
  );
});
