import { describe, expect, it } from 'vitest';
import { type Capabilities, incapable, missing, type Needs, ofChannel, saysNothing } from './capabilities.ts';

const UNKNOWN: Capabilities = { apis: null, input: null, features: null };
const asks =
  (inputs: string[], features: string[]): (() => Needs) =>
  () => ({ input: (missing) => inputs.find(missing), feature: (missing) => features.find(missing) });

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

  it('P-6: of a list that is not the whole truth, only what is known to be missing is missed', () => {
    const can: Capabilities = {
      apis: null,
      input: ['text'],
      features: ['tools'],
      lacks: { input: ['audio'], features: ['json_schema'] },
    };
    expect(missing(can, 'chat', asks(['image', 'file'], ['logprobs', 'json_object']))).toBeNull();
    expect(missing(can, 'chat', asks(['audio'], []))).toEqual({ kind: 'input', name: 'audio' });
    expect(missing(can, 'chat', asks([], ['json_schema']))).toEqual({ kind: 'feature', name: 'json_schema' });
    const inputsAlone: Capabilities = { ...can, lacks: { input: [], features: null } };
    expect(missing(inputsAlone, 'chat', asks(['audio'], []))).toBeNull();
    expect(missing(inputsAlone, 'chat', asks([], ['logprobs']))).toEqual({ kind: 'feature', name: 'logprobs' });
  });

  it('P-6: where nothing is known to be missing, nothing is asked of the request', () => {
    const can: Capabilities = { ...UNKNOWN, input: ['text'], features: ['tools'], lacks: { input: [], features: [] } };
    expect(saysNothing(can)).toBe(true);
    expect(saysNothing({ ...can, lacks: { input: [], features: null } })).toBe(false);
    expect(saysNothing({ ...can, lacks: { input: ['audio'], features: [] } })).toBe(false);
  });

  it("P-6: what a list lacks goes with the list: a channel's whole one is not opened by its model's", () => {
    const model = { ...UNKNOWN, input: ['text'], features: ['tools'], lacks: { input: ['audio'], features: ['x'] } };
    expect(ofChannel(model, { ...UNKNOWN, features: [] })).toEqual({
      apis: null,
      input: ['text'],
      features: [],
      lacks: { input: ['audio'], features: null },
    });
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
    expect(failure.message).toContain('`a/b` does not take image');
  });
});
