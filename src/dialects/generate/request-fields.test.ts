import { describe, expect, it } from 'vitest';
import { MESSAGES } from '../../../sim/dialects/generate/message-types.ts';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import { camelCase } from './fields.ts';
import { BOUND, HINTS, HINTS_CONFIG, MODELLED, MODELLED_CONFIG, SPOKEN_FOR } from './request-fields.ts';

const fieldsOf = (message: string): string[] => Object.keys(MESSAGES[message] ?? {}).toSorted();

describe('R-4: every field the API knows is in exactly one list', () => {
  it.each<[string, readonly string[]]>([
    ['GenerateContentRequest', [...MODELLED, ...SPOKEN_FOR, ...BOUND.keys(), ...HINTS.keys()]],
    ['GenerationConfig', [...MODELLED_CONFIG, ...HINTS_CONFIG]],
  ])('%s', (message, listed) => {
    expect(listed.toSorted()).toEqual(fieldsOf(message));
  });

  it('the gateway’s own are none of them', () => {
    const known = new Set(fieldsOf('GenerateContentRequest'));
    expect(OWN_FIELDS.filter((name) => known.has(camelCase(name)))).toEqual([]);
  });
});
