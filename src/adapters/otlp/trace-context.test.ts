import { expect, it } from 'vitest';
import { parentBased, ratioSampler, readTraceParent, spanIdOf, traceIdOf } from './trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

it('O-3: a traceparent is read as W3C writes it; a later version may say more', () => {
  expect(readTraceParent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
  expect(readTraceParent(` 00-${TRACE}-${SPAN}-00 `)?.isSampled).toBe(false);
  expect(readTraceParent(`cc-${TRACE}-${SPAN}-01-what-the-future-brings`)?.traceId).toBe(TRACE);
});

it.each([
  null,
  '',
  'nonsense',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}-zz`,
])('O-3: %s is none', (header) => {
  expect(readTraceParent(header)).toBeNull();
});

it('O-3: ids follow from ours: the same for the same, others for others, of the right length', () => {
  const own = 'req_01a22c8ab9ef6f71c1ce661a9ae072eb';
  expect([traceIdOf(own), spanIdOf(own, 0), spanIdOf(own, 3)]).toEqual([
    '01a22c8ab9ef6f71c1ce661a9ae072eb',
    'ce661a9ae072eb00',
    'ce661a9ae072eb03',
  ]);
  for (const id of ['req_1', `req_${'Z'.repeat(32)}`]) {
    expect(traceIdOf(id)).toMatch(/^[0-9a-f]{32}$/);
    expect(spanIdOf(id, 1)).toMatch(/^[0-9a-f]{16}$/);
    expect(traceIdOf(id)).toBe(traceIdOf(id));
  }
  expect(new Set([traceIdOf('req_1'), traceIdOf('req_2')]).size).toBe(2);
});

it('O-3: a share of all traces is sent, the same ones wherever it is asked', () => {
  const half = ratioSampler(0.5);
  const sent = Array.from({ length: 2000 }, (_, n) => half(() => traceIdOf(`req_${n}`), null));
  const count = sent.filter(Boolean).length;
  expect(count).toBeGreaterThan(900);
  expect(count).toBeLessThan(1100);
  expect(ratioSampler(0)(() => '0'.repeat(32), null)).toBe(false);
  expect(ratioSampler(1)(() => 'f'.repeat(32), null)).toBe(true);
});

it('O-3: what the caller decided holds', () => {
  const never = parentBased(() => false);
  const parent = { traceId: TRACE, spanId: SPAN, isSampled: true };
  expect([never(() => TRACE, parent), never(() => TRACE, null)]).toEqual([true, false]);
  expect(parentBased(() => true)(() => TRACE, { ...parent, isSampled: false })).toBe(false);
});
