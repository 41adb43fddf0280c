/** JSON that is not what it should be. */
import type { Random } from '../../sim/random.ts';

/** What may stand where something else is expected. */
const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  '',
  'x',
  [],
  {},
  [null],
  [[]],
  [{}],
  { type: 'text' },
  { type: 'image_url', image_url: 7 },
  { type: 'tool_result' },
  { text: 1 },
  'data:;base64,',
  '\ud800',
  '__proto__',
  { type: {} },
  [{ role: 'assistant', content: [{ type: 'tool_use' }] }],
  { functionCall: {} },
  { functionResponse: { name: 3 } },
];

export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

/** The same value with something odd somewhere in it. */
export function harmed(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.15) return pick(random, ODD);
  const copy: unknown = structuredClone(value);
  const keys = Object.keys(copy as object);
  if (keys.length === 0) return pick(random, ODD);
  const key = pick(random, keys);
  const fields = copy as Record<string, unknown>;
  if (random() < 0.1 && !Array.isArray(copy)) delete fields[key];
  else fields[key] = harmed(fields[key], random);
  return copy;
}
