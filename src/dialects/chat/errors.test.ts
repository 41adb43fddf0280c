import { describe, expect, test } from 'vitest';
import { gatewayError } from '../../core/errors/catalogue.ts';
import { KEEP_ALIVE, renderError, streamError } from './errors.ts';

const NOW = Date.UTC(2026, 10, 29, 10, 0, 0);
const attempts = [{ model: 'a', status: 'failed', reason: 'timeout', class: 'timeout', latency_ms: 5 }] as const;
const exhausted = gatewayError('all_models_failed', 'All 1 model attempt(s) failed (last: a — timeout)', {
  attempts,
  retryAt: NOW + 1500,
  budget: 'deadline',
  maybeExecuted: true,
});
const body = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString());

describe('renderError', () => {
  test('E-5: message, type, code, param and request id; the rest only where it is known', () => {
    const plain = renderError(gatewayError('invalid_parameter', 'no', { param: 'n' }), 'req_1', false, NOW);
    expect(plain.status).toBe(400);
    expect(plain.headers).toEqual({ 'content-type': 'application/json', 'x-should-retry': 'false' });
    expect(body(plain.body)).toEqual({
      error: {
        message: 'no',
        type: 'invalid_request_error',
        code: 'invalid_parameter',
        param: 'n',
        request_id: 'req_1',
      },
    });
    expect(body(renderError(exhausted, 'req_1', false, NOW).body)).toEqual({
      error: {
        message: exhausted.message,
        type: 'upstream_error',
        code: 'all_models_failed',
        param: null,
        request_id: 'req_1',
        attempts,
        retry_at: '2026-11-29T10:00:01.500Z',
        budget: 'deadline',
        maybe_executed: true,
      },
    });
  });

  test('E-2: the classic body', () => {
    expect(body(renderError(exhausted, 'req_1', true, NOW).body)).toEqual({
      success: false,
      error: 'All model attempts failed',
      message: exhausted.message,
      code: 'all_models_failed',
      request_id: 'req_1',
      attempts,
    });
    expect(body(renderError(gatewayError('model_not_found', 'no m'), 'req_1', true, NOW).body)).toEqual({
      success: false,
      error: 'no m',
      message: 'no m',
      code: 'model_not_found',
      request_id: 'req_1',
    });
  });

  test.each([
    [1500, '2', '1500'],
    [1, '1', '1'],
    [0.2, '1', '1'],
    [0, '1', '1'],
    [-5000, '1', '1'],
    [60_000, '60', '60000'],
    [86_400_000, '60', '60000'],
  ])('D-3: a wait of %d ms is told as %s s and %s ms', (wait, seconds, ms) => {
    const { headers } = renderError(gatewayError('rate_limited', 'm', { retryAt: NOW + wait }), 'r', false, NOW);
    expect([headers['retry-after'], headers['retry-after-ms']]).toEqual([seconds, ms]);
  });

  test('D-7: exactly one x-should-retry', () => {
    const told = (shouldRetry: boolean): string | undefined =>
      renderError(gatewayError('rate_limited', 'm', { shouldRetry }), 'r', false, NOW).headers['x-should-retry'];
    expect([told(true), told(false)]).toEqual(['true', 'false']);
  });

  test('E-5: an instant no date can hold does not break the error', () => {
    const { body: bytes } = renderError(gatewayError('rate_limited', 'm', { retryAt: 1e300 }), 'r', false, NOW);
    expect(body(bytes)).toMatchObject({ error: { retry_at: '+275760-09-13T00:00:00.000Z' } });
  });
});

describe('in a stream', () => {
  test('T-4: one error event, no terminator', () => {
    const text = Buffer.from(streamError(gatewayError('stream_interrupted', 'broke\noff'), 'req_1')).toString();
    expect(text).toMatch(/^data: \{"error":\{.*\}\}\n\n$/);
    expect(JSON.parse(text.slice(6))).toMatchObject({
      error: { code: 'stream_interrupted', request_id: 'req_1', message: 'broke\noff' },
    });
  });

  test('T-11: the keep-alive is a comment block', () => {
    expect(Buffer.from(KEEP_ALIVE).toString()).toBe(': keep-alive\n\n');
  });
});
