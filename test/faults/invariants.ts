/** What holds for every answer of the gateway, whatever the upstreams did. */
import { expect } from 'vitest';
import type { RawAnswer } from './raw-client.ts';

/** Headers a client may get (R-1, G-10, D-7, D-3), beside those of the connection. */
const KNOWN_HEADERS =
  /^(content-type|content-length|content-encoding|transfer-encoding|cache-control|connection|keep-alive|date|vary|x-accel-buffering|x-content-type-options|x-request-id|x-client-request-id|x-understudy-(served-model|attempts|degraded|original-request-id)|idempotent-replayed|retry-after|retry-after-ms|x-should-retry)$/;

/** Checks one answer: R-1, G-10, E-5, D-7, D-3. */
export function expectHonest(answer: RawAnswer): void {
  if (answer.end === 'left') return;
  expect(answer.status, 'an answer').not.toBeNull();
  expect(answer.end, 'a whole answer').toBe('complete');
  expect(answer.headers['x-request-id'], 'R-1').toMatch(/^\S+$/);
  const unknown = Object.keys(answer.headers).filter((name) => !KNOWN_HEADERS.test(name));
  expect(unknown, 'G-10: no header of the upstream').toEqual([]);
  expect(answer.text, 'E-5: never HTML').not.toMatch(/<(html|!doctype|title|h1)/i);
  const length = answer.headers['content-length'];
  if (length !== undefined) expect(Number(length)).toBe(answer.body.byteLength);
  if ((answer.status ?? 0) >= 400) expectHonestError(answer);
}

function expectHonestError(answer: RawAnswer): void {
  expect(answer.headers['content-type'], 'an error is JSON').toMatch(/^application\/json/);
  const { error } = JSON.parse(answer.text) as { error: Record<string, unknown> };
  expect(error['code'], 'E-5').toBeTypeOf('string');
  expect(error['message'], 'E-5').toBeTypeOf('string');
  expect(error['message'], 'E-5').not.toBe('');
  expect(error['type'], 'E-5').toBeTypeOf('string');
  expect(error['request_id'], 'E-5').toBe(answer.headers['x-request-id']);
  expect(answer.text, 'E-5: no stack trace').not.toMatch(/\n\s+at .+:\d+:\d+/);
  expect(answer.headers['x-should-retry'], 'D-7').toMatch(/^(true|false)$/);
  const wait = answer.headers['retry-after'];
  if (wait === undefined) return;
  expect(wait, 'D-3').toMatch(/^\d+$/);
  expect(Number(wait), 'D-3').toBeGreaterThanOrEqual(1);
  expect(Number(wait), 'D-3').toBeLessThanOrEqual(60);
  expect(answer.headers['retry-after-ms'], 'D-3').toMatch(/^\d+$/);
}

/** The error object of an answer. */
export function errorOf(answer: RawAnswer): Record<string, unknown> {
  return (JSON.parse(answer.text) as { error: Record<string, unknown> }).error;
}
