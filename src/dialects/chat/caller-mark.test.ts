import { expect, it } from 'vitest';
import { isScanError, scanObject } from '../bytes/body-view.ts';
import { callerMark } from './caller-mark.ts';

function markOf(body: object, by: 'prompt_cache_key' | 'user'): string | null {
  const view = scanObject(Buffer.from(JSON.stringify(body)), {});
  if (isScanError(view)) throw new Error('no object');
  return callerMark(view, by);
}

it('P-2: a caller is known by `prompt_cache_key`, or by `safety_identifier` and its older name `user`', () => {
  const body = { prompt_cache_key: 'cache-1', user: 'u-1' };
  expect(markOf(body, 'prompt_cache_key')).toBe('cache-1');
  expect(markOf(body, 'user')).toBe('u-1');
  expect(markOf({ ...body, safety_identifier: 's-1' }, 'user')).toBe('s-1');
  expect(markOf({ user: 'u-1' }, 'prompt_cache_key')).toBeNull();
  expect(markOf({ prompt_cache_key: 'c' }, 'user')).toBeNull();
});

it('P-2: what is no text is no mark', () => {
  expect(markOf({ prompt_cache_key: 7, user: null }, 'prompt_cache_key')).toBeNull();
  expect(markOf({ safety_identifier: {}, user: 'u-1' }, 'user')).toBe('u-1');
});
