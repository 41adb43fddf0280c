import { describe, expect, it } from 'vitest';
import type { Opaque, Part } from '../canonical.ts';
import {
  indexOfMark,
  MARK,
  mayGo,
  ownVendor,
  readOpaque,
  stateOfCall,
  stateToCalls,
  unwrapOpaque,
  wrapOpaque,
  writeOpaque,
} from './opaque-marks.ts';

const state = (data: string, more: Partial<Opaque> = {}): Opaque => ({
  vendor: 'maker',
  kind: 'signature',
  data,
  id: null,
  ...more,
});
const target = { upstreamModel: 'm', vendor: 'maker', maxOutputTokens: null, lacks: new Set<string>() };

describe('marks of opaque reasoning', () => {
  it.each([
    state('EsgCCkYIBxgC+/='),
    state(''),
    state('ünï \0 code'),
    state('x', { kind: 'sealed', id: 'rs_1' }),
    state('gAAAA', { vendor: 'a', kind: 'sealed' }),
  ])('R-5: what is wrapped comes back byte for byte (%#)', (opaque) => {
    const wrapped = wrapOpaque(opaque, 'other');
    expect(wrapped.startsWith(MARK)).toBe(true);
    expect(unwrapOpaque(wrapped)).toEqual(opaque);
  });

  it('R-5: a client that decodes it as base64 and encodes it again, in either alphabet, changes nothing', () => {
    for (let length = 0; length < 40; length++) {
      const opaque = state('~?>'.repeat(length).slice(0, length));
      const bytes = Buffer.from(wrapOpaque(opaque, 'x'), 'base64');
      expect(unwrapOpaque(bytes.toString('base64'))).toEqual(opaque);
      expect(unwrapOpaque(bytes.toString('base64url'))).toEqual(opaque);
    }
  });

  it('R-5: without a mark it is the own vendor’s; a broken mark is nobody’s', () => {
    expect(readOpaque('EsgC', 'signature', null, 'maker')).toEqual(state('EsgC'));
    expect(readOpaque(`${MARK}!!`, 'signature', null, 'maker').vendor).toBeNull();
    expect(readOpaque(`${MARK}AAAA`, 'signature', null, 'maker').vendor).toBeNull();
  });

  it('R-5: goes to its maker only, and not at all where the attempt is bare', () => {
    expect(mayGo(state('x'), { target })).toBe(true);
    expect(mayGo(state('x'), { target, bare: true })).toBe(false);
    expect(mayGo(state('x', { vendor: 'b' }), { target })).toBe(false);
    expect(mayGo(state('x', { vendor: null }), { target })).toBe(false);
  });

  it('R-5: a client of the maker’s own dialect gets it as it is', () => {
    expect(writeOpaque(state('raw', { vendor: null }), 'maker', 'maker')).toBe('raw');
    expect(unwrapOpaque(writeOpaque(state('raw', { vendor: null }), 'other', 'maker'))).toEqual(state('raw'));
  });

  it('R-5: one search finds the first mark in a body', () => {
    const body = Buffer.from(`{"a":"${wrapOpaque(state('x'), 'v')}"}`);
    expect(indexOfMark(body)).toBe(6);
    expect(indexOfMark(Buffer.from('{"a":"EsgC"}'))).toBe(-1);
  });

  it('R-5: state of a call finds its call again', () => {
    const call: Part = { type: 'call', id: 'c1', name: 'f', form: 'function', input: '{}' };
    const apart: Part = { type: 'reasoning', text: '', summary: false, opaque: stateOfCall(state('sig'), 'c1') };
    expect(stateToCalls([call, apart])).toEqual([{ ...call, opaque: state('sig') }]);
    expect(stateToCalls([call])).toEqual([call]);
  });

  it('R-5: a dialect’s own vendor', () => {
    const all = (['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const).map(ownVendor);
    expect(all).toEqual(['openai', 'openai', 'anthropic', 'google']);
  });
});
