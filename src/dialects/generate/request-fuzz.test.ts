import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MESSAGES } from '../../../sim/dialects/generate/message-types.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { isWholeJson } from '../bytes/json-grammar.ts';
import { wrapOpaque } from '../cross/opaque-marks.ts';
import { generateCodec } from './codec.ts';
import { generateCountCodec } from './count-codec.ts';
import { snakeCase } from './fields.ts';
import { degraded } from './request.ts';
import { generateClient, generateUpstream } from './translated.ts';

const NAMES = [...new Set(Object.values(MESSAGES).flatMap((fields) => Object.keys(fields)))];
const MARKED = wrapOpaque({ vendor: 'anthropic', kind: 'signature', data: 'x', id: null }, 'anthropic');
const key = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...NAMES, ...NAMES.map(snakeCase)) },
  { weight: 1, arbitrary: fc.string() },
);
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    'user',
    'model',
    'AUTO',
    'ANY',
    'image/png',
    'https://x.test/a',
    MARKED,
    0,
    -1,
    2 ** 60,
  ),
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { value } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof({ depthSize: 'medium' }, leaf, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
}));
const body = fc
  .tuple(fc.dictionary(key, value, { maxKeys: 6 }), fc.array(value, { minLength: 1, maxLength: 3 }))
  .map(([fields, contents]) => ({ ...fields, contents }));
const entry: fc.Arbitrary<Degrade> = fc.record(
  {
    drop_tools: fc.boolean(),
    drop_response_format: fc.boolean(),
    max_output_tokens: fc.integer({ min: 1 }),
    reasoning_effort: fc.constantFrom('none', 'low', 'wild'),
    drop_params: fc.array(key, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

test('E-5: whatever a request holds, it is read, asked about, degraded, written and translated, or refused in words', () => {
  fc.assert(
    fc.property(body, entry, fc.boolean(), fc.boolean(), (fields, degrade, bare, strict) => {
      const bytes = Buffer.from(JSON.stringify(fields));
      const lacks = new Set(strict ? ['unsigned_calls'] : []);
      const target = { upstreamModel: 'up', vendor: 'google', maxOutputTokens: null, lacks };
      const write = { target, degrade, injectUsage: true, bare, outputTokens: 9 };
      for (const codec of [generateCodec, generateCountCodec]) {
        const read = codec.readRequest(bytes, { model: 'm' });
        if (!read.ok) {
          expect(read.error.status).toBe(400);
          continue;
        }
        const request = read.value;
        codec.needs(request, degrade).input(() => true);
        codec.needs(request, degrade).feature(() => true);
        codec.asks(request, degrade);
        codec.suppliedUrls(request);
        codec.namedState(request);
        codec.actsUpstream(request);
        codec.callerMark(request, 'user');
        const written = codec.writeUpstream(request, write).bytes;
        expect(isWholeJson(written, 0, written.length)).toBe(true);
      }
      const read = generateCodec.readRequest(bytes, { model: 'm' });
      if (!read.ok) return;
      const canonical = generateClient.canonical.readRequest(degraded(read.value, degrade).request);
      if (!canonical.ok) {
        expect(canonical.error.status).toBe(400);
      } else if (generateUpstream.canonical.misses(canonical.value, target) === null) {
        const { bytes: again } = generateUpstream.canonical.writeRequest(canonical.value, write);
        expect(isWholeJson(again, 0, again.length)).toBe(true);
      }
    }),
    { numRuns: 1000 },
  );
});
