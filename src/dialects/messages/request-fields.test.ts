import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import { BOUND, HINTS, MODELLED } from './request-fields.ts';

const require = createRequire(import.meta.url);

/** Fields of a request as the vendor's own client types them; what it turns into headers is none of the body. */
function typedFields(library: string, file: string): string[] {
  const folder = path.dirname(require.resolve(library));
  const types = readFileSync(path.join(folder, 'resources', file), 'utf8');
  const params = /export interface MessageCreateParamsBase \{\n([\s\S]*?)\n\}/.exec(types)?.[1] ?? '';
  const fields = [...params.matchAll(/^ {4}(\w+)\??:/gm)].map((found) => found[1]!);
  return fields.filter((field) => !HEADERS.includes(field));
}

const HEADERS = ['betas', 'user_profile_id', 'workspace_id'];

describe('R-4: every field of a request has its place in a translation', () => {
  const lists = [...MODELLED, ...HINTS, ...BOUND.keys(), ...OWN_FIELDS];

  it('stands in one list', () => {
    expect(lists.filter((field, at) => lists.indexOf(field) !== at)).toEqual([]);
  });

  it.each(['@anthropic-ai/sdk', 'anthropic-1'])('none that %s can send is in no list', (library) => {
    const typed = ['messages/messages.d.ts', 'beta/messages/messages.d.ts'].flatMap((file) =>
      typedFields(library, file),
    );
    expect(typed.length).toBeGreaterThan(30);
    expect([...new Set(typed)].filter((field) => !lists.includes(field))).toEqual([]);
  });
});
