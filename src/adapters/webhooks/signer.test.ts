import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signedHeaders } from './signer.ts';

const secretOf = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`;
const BODY = JSON.stringify({ type: 'key.banned', data: { name: 'schlüssel 🔑', text: '"quoted"\n' } });
const MESSAGE = { id: 'msg_1', body: BODY };

describe('signatures', () => {
  it.each([24, 32, 33, 64])(
    'G-7: with a secret of %i bytes a Standard Webhooks receiver accepts the message',
    (bytes) => {
      const secret = secretOf(bytes);
      const headers = { ...signedHeaders(MESSAGE, [secret], Date.now()) };
      expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    },
  );

  it('G-7: while the secret is renewed receivers of the old and of the new one accept it', () => {
    const [fresh, old] = [secretOf(32), secretOf(32)];
    const headers = { ...signedHeaders(MESSAGE, [fresh, old], Date.now()) };
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    expect(() => new Webhook(fresh).verify(BODY, headers)).not.toThrow();
    expect(() => new Webhook(old).verify(BODY, headers)).not.toThrow();
    expect(() => new Webhook(secretOf(32)).verify(BODY, headers)).toThrow();
  });

  it('G-7: body, id and time are all bound in', () => {
    const secret = secretOf(32);
    const headers = { ...signedHeaders(MESSAGE, [secret], Date.now()) };
    const receiver = new Webhook(secret);
    expect(() => receiver.verify(`${BODY} `, headers)).toThrow();
    expect(() => receiver.verify(BODY, { ...headers, 'webhook-id': 'msg_2' })).toThrow();
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => receiver.verify(BODY, { ...headers, 'webhook-timestamp': later })).toThrow();
  });

  it('G-7: the time is in whole seconds, so that old messages can be refused', () => {
    const secret = secretOf(32);
    expect(signedHeaders(MESSAGE, [secret], 1_700_000_000_999)['webhook-timestamp']).toBe('1700000000');
    const old = { ...signedHeaders(MESSAGE, [secret], Date.now() - 6 * 60_000) };
    expect(() => new Webhook(secret).verify(BODY, old)).toThrow('too old');
  });
});
