import fastify from 'fastify';
import { expect, it } from 'vitest';
import { registerWellKnown } from './well-known.ts';

it('G-5: whoever asks is shown the keys as they are now, to be kept for five minutes', async () => {
  const key = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: 'a', x: 'b' } as const;
  let keys = [key];
  const app = fastify({ exposeHeadRoutes: true });
  registerWellKnown(app, { published: () => ({ keys }) });
  const answer = await app.inject('/.well-known/jwks.json');
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({
    'cache-control': 'public, max-age=300',
    'content-type': expect.stringMatching(/^application.json/),
  });
  expect(answer.json()).toEqual({ keys: [key] });
  keys = [];
  expect((await app.inject('/.well-known/jwks.json')).json()).toEqual({ keys: [] });
  await app.close();
});
