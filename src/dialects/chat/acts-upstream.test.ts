import { expect, it } from 'vitest';
import { actsUpstream } from './acts-upstream.ts';
import { readRequest } from './request.ts';

const acts = (fields: object): boolean => {
  const read = readRequest(Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user' }], ...fields })));
  if (!read.ok) throw new Error(read.error.message);
  return actsUpstream(read.value);
};

it.each<[string, object, boolean]>([
  ['plain text', {}, false],
  ['tools of the client', { tools: [{ type: 'function', function: { name: 'f' } }, { type: 'custom' }] }, false],
  ['a tool without a type', { tools: [{ function: { name: 'f' } }] }, false],
  ['no tools', { tools: [] }, false],
  ['null', { tools: null, web_search_options: null }, false],
  ['a search by the provider', { web_search_options: {} }, true],
  ['a tool of the provider', { tools: [{ type: 'function' }, { type: 'web_search' }] }, true],
])('D-11: %s: %j acts upstream: %s', (_name, fields, expected) => {
  expect(acts(fields)).toBe(expected);
});
