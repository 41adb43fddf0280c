import { expect, it } from 'vitest';
import { chatCodec } from '../dialects/chat/codec.ts';
import { measureRequest } from './measure-request.ts';

function measured(fields: object): number {
  const read = chatCodec.readRequest(Buffer.from(JSON.stringify(fields)));
  if (!read.ok) throw new Error(read.error.message);
  return measureRequest(read.value, 0).textBytes;
}

it('G-4: the gateway’s own fields, which no upstream gets, are not counted', () => {
  const asked = { model: 'm', messages: [{ role: 'user', content: 'hello' }], user: 'u' };
  const bytes = JSON.stringify(asked).length;
  expect(measured(asked)).toBe(bytes);
  const chain = { fallback_models: ['a', 'b'.repeat(200)], redundancy: { policy: 'strict', timeout_ms: 5000 } };
  expect(measured({ ...asked, ...chain })).toBe(bytes);
  expect(measured({ models: ['a', 'b'], ...asked })).toBe(bytes);
  expect(measured({ ...asked, metadata: chain })).toBe(JSON.stringify({ ...asked, metadata: chain }).length);
});
