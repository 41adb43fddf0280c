import { expect, it } from 'vitest';
import { quotedName } from './quoted-name.ts';

it.each([
  ['vendor/model', '`vendor/model`'],
  ['a "b"', '`a "b"`'],
  ['two\nlines\u001b[31m', '`two\\nlines\\u001b[31m`'],
  ['x'.repeat(200), `\`${'x'.repeat(100)}…\``],
])('E-1: a name from outside stays short and on its line: %j', (name, shown) => {
  expect(quotedName(name)).toBe(shown);
});
