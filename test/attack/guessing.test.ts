/** What hides secrets must not confirm guesses: whether a text comes back masked would tell whether it holds a part of one. */
import { afterEach, describe, expect, it } from 'vitest';
import { http, type RawCall, type RawUpstream, startRawUpstream } from './raw-upstream.ts';
import { PLATFORM_SECRET, startTenants, type TenantsRig } from './tenants-rig.ts';

let rig: TenantsRig;
let own: RawUpstream | null = null;
afterEach(async () => {
  await rig.close();
  await own?.close();
  own = null;
});

const error = (message: string, headers: string[] = []): Buffer =>
  http(400, JSON.stringify({ error: { message, type: 'invalid_request_error' } }), headers);
const refuse =
  (message: string, headers: string[] = []) =>
  ({ socket }: RawCall): void =>
    void socket.write(error(message, headers));

/** The next character of a secret of which five are known: one guess is right. */
function guesses(secret: string): string[] {
  const known = secret.slice(9, 14);
  return ['A', 'b', '3', secret[14]!, 'Z'].map((next) => known + next);
}

describe('guesses at the secrets of others', () => {
  it('E-5: an own address is searched for its own secret alone: what it says of others comes back as said', async () => {
    rig = await startTenants(refuse('busy'));
    const others = 'beta-own-Qw34Er56Ty78';
    await rig.as('beta', 'POST', '/admin/v1/credentials', { name: 'betas', provider: 'up', secret: others });
    const said = [...guesses(PLATFORM_SECRET), ...guesses(others)].join(' ');
    own = await startRawUpstream(refuse(said, [`x-request-id: ${guesses(others)[3]}`]));
    const mine = 'mine_Ui90Op12As34Df56';
    const credential = { name: 'mine', provider: 'up', secret: mine, base_url: own.url };
    expect((await rig.as('acme', 'POST', '/admin/v1/credentials', credential)).status).toBe(201);
    const answer = await rig.ask(await rig.newKey('acme', 'k'));
    expect(own.calls).toHaveLength(1);
    expect((answer.body['error'] as { message: string }).message).toBe(said);
    const trace = await rig.as('acme', 'GET', `/admin/v1/requests/${answer.headers['x-request-id']}`);
    expect(trace.text).not.toContain('***');
  });

  it('E-5: the secret that was sent to it is hidden all the same', async () => {
    const mine = 'mine_Ui90Op12As34Df56';
    rig = await startTenants(refuse('busy'));
    own = await startRawUpstream(refuse(`no key ${mine.slice(3, 15)}`, [`x-request-id: ${mine.slice(2, 12)}`]));
    const credential = { name: 'mine', provider: 'up', secret: mine, base_url: own.url };
    await rig.as('acme', 'POST', '/admin/v1/credentials', credential);
    const answer = await rig.ask(await rig.newKey('acme', 'k'));
    expect(answer.text).toContain('no key ***');
    const trace = await rig.as('acme', 'GET', `/admin/v1/requests/${answer.headers['x-request-id']}`);
    for (let at = 0; at + 6 <= mine.length; at += 1) expect(trace.text).not.toContain(mine.slice(at, at + 6));
  });

  it.each([
    ['as it is', (text: string) => text],
    ['in escapes', (text: string) => text.replaceAll(/[A-Za-z0-9]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
  ])(
    'E-5: what an upstream quotes of the request, sent %s, is quoted whole, right guesses and wrong ones',
    async (_, written) => {
      const list = guesses(PLATFORM_SECRET).join(' ');
      rig = await startTenants(refuse(`invalid value '${list}'`));
      const key = await rig.newKey('acme', 'k');
      const marked = JSON.stringify({ model: 'ok', messages: [{ role: 'user', content: 'GUESS' }] });
      const { port } = new URL(rig.admin.gateway.url);
      const body = marked.replace('GUESS', written(list));
      const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
      });
      const text = await answer.text();
      expect((JSON.parse(text) as { error: { message: string } }).error.message).toBe(`invalid value '${list}'`);
    },
  );

  it('E-5: the key of the call, quoted by the upstream, is hidden whole beside a guess at a part of it', async () => {
    rig = await startTenants(refuse(`bad key ${PLATFORM_SECRET}`));
    const guess = PLATFORM_SECRET.slice(9, 15);
    const answer = await rig.ask(await rig.newKey('acme', 'k'), { messages: [{ role: 'user', content: guess }] });
    expect(answer.text).toContain('bad key ***');
    for (let at = 0; at + 6 <= PLATFORM_SECRET.length; at += 1) {
      expect(answer.text).not.toContain(PLATFORM_SECRET.slice(at, at + 6));
    }
  });

  it('G-9: a secret of thousands of words, which would hide them in what everybody reads, is refused', async () => {
    rig = await startTenants(refuse('busy'));
    const credential = { name: 'mine', provider: 'up', secret: 'invalid_model_error_'.repeat(300) };
    const made = await rig.as('acme', 'POST', '/admin/v1/credentials', credential);
    expect([made.status, (made.body['error'] as { param: string }).param]).toEqual([400, 'secret']);
    expect(made.text).not.toContain('invalid_model');
  });
});
