import { describe, expect, it } from 'vitest';
import { type Capabilities, incapable, missing, ofChannel, saysNothing } from './capabilities.ts';

const UNKNOWN: Capabilities = { apis: null, input: null, features: null };
const asks = (inputs: string[], features: string[]) => () => ({ inputs, features });

describe('P-6: capabilities', () => {
  it('P-6: unknown means supported, and nothing is asked of the request', () => {
    const needs = () => {
      throw new Error('asked');
    };
    expect(saysNothing(UNKNOWN)).toBe(true);
    expect(missing(UNKNOWN, 'chat', needs)).toBeNull();
    expect(missing({ ...UNKNOWN, apis: ['chat'] }, 'chat', needs)).toBeNull();
  });

  it('P-6: the endpoint first, then inputs, then features', () => {
    const can = { apis: ['responses'], input: ['text'], features: ['tools'] };
    const needs = asks(['image'], ['logprobs']);
    expect(missing(can, 'chat', needs)).toEqual({ kind: 'api', name: 'chat' });
    expect(missing(can, 'responses', needs)).toEqual({ kind: 'input', name: 'image' });
    expect(missing({ ...can, input: null }, 'responses', needs)).toEqual({ kind: 'feature', name: 'logprobs' });
    expect(missing({ ...can, input: ['image'], features: null }, 'responses', needs)).toBeNull();
  });

  it('P-6: who fits a schema can write any JSON, not the other way round', () => {
    const can = (feature: string): Capabilities => ({ ...UNKNOWN, features: [feature] });
    expect(missing(can('json_schema'), 'chat', asks([], ['json_object']))).toBeNull();
    expect(missing(can('json_object'), 'chat', asks([], ['json_schema']))).not.toBeNull();
  });

  it("P-6: a channel's own words beat its model's, one by one", () => {
    const model = { apis: ['chat'], input: ['text'], features: ['tools'] };
    expect(ofChannel(model, undefined)).toBe(model);
    expect(ofChannel(model, { ...UNKNOWN, features: [] })).toEqual({ ...model, features: [] });
  });

  it('P-6: the error names model and what is missing, with the code of its kind', () => {
    expect(incapable('a/b', { kind: 'api', name: 'chat' })).toMatchObject({
      class: 'gateway_rejected',
      status: 400,
      code: 'unsupported_model_api',
      triggers: [],
    });
    const failure = incapable('a/b', { kind: 'input', name: 'image' });
    expect(failure.code).toBe('unsupported_model_input');
    expect(failure.message).toContain('"a/b" does not take image');
  });
});
