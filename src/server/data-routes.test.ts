import { describe, expect, it } from 'vitest';
import { methodsOf, routeOf } from './data-routes.ts';
import { modelPath } from './model-path.ts';

const POST = (url: string) => routeOf('POST', url, {});

describe('routes by path', () => {
  it('the usual path is a look-up: the same object every time, query or not', () => {
    const first = POST('/v1/chat/completions');
    expect(first).toMatchObject({ route: { endpoint: 'chat', operation: 'generate' }, place: {} });
    expect(POST('/v1/chat/completions?key=k')).toBe(first);
    expect(POST('http://host/v1/chat/completions')).toBe(first);
  });

  it('dialects §1.1: a deployment’s name is the model, decoded', () => {
    const routed = POST('/openai/deployments/openai%2Fgpt%3Aeu/chat/completions?api-version=2024-10-21');
    expect(routed).toMatchObject({ route: { endpoint: 'chat', classic: false }, place: { model: 'openai/gpt:eu' } });
    expect(POST('/openai/deployments/a/b/chat/completions')).toBeNull();
    expect(POST('/openai/deployments/a/nothing')).toBeNull();
  });

  it('only POST; what it is not is a path of its own or none', () => {
    expect(routeOf('GET', '/v1/chat/completions', {})).toBeNull();
    expect(methodsOf('/openai/deployments/m/chat/completions')).toBe('POST');
    expect(POST('/v1/chat/completions/')).toBeNull();
  });
});

describe('paths that name a model', () => {
  it('dialects §14.19: the last colon stands before the verb, in whatever escape', () => {
    const of = (text: string) => modelPath(`/v1beta/models/${text}`);
    expect(of('m:generateContent')).toEqual({ model: 'm', rest: ':generateContent' });
    expect(of('google%2Fm%3Aeu:countTokens')).toEqual({ model: 'google/m:eu', rest: ':countTokens' });
    expect(of('google/m:eu:generateContent')).toEqual({ model: 'google/m:eu', rest: ':generateContent' });
    expect(of('m%3AgenerateContent')).toEqual({ model: 'm', rest: ':generateContent' });
    expect(of('%zz:generateContent')).toEqual({ model: '%zz', rest: ':generateContent' });
    expect(of(':generateContent')).toBeNull();
    expect(of('m')).toBeNull();
    expect(modelPath('/v1/models/m:generateContent')).toEqual({ model: 'm', rest: ':generateContent' });
    expect(modelPath('/v2/models/m:generateContent')).toBeNull();
  });

  it('dialects §1.1: clients leave out the collection before a name with a slash of its own', () => {
    expect(POST('/v1beta/google/m:generateContent')).toMatchObject({ place: { model: 'google/m', stream: false } });
    expect(POST('/v1/google/m:eu:streamGenerateContent?alt=sse')).toMatchObject({
      place: { model: 'google/m:eu', stream: true, form: 'events' },
    });
    expect(POST('/v1beta/m:generateContent')).toBeNull();
  });
});
