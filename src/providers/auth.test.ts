import { describe, expect, it } from 'vitest';
import type { Dialect } from '../core/wire-names.ts';
import { authOf, projectIn, secretPartsOf } from './auth.ts';
import type { AuthKind } from './types.ts';

const shown = (auth: AuthKind, secret: string, more: { dialect?: Dialect; version?: string } = {}) =>
  authOf(
    { auth, dialect: 'openai-chat', version: '2023-06-01', region: 'eu-west-1', operators: true, ...more },
    secret,
  );
const header = (auth: AuthKind, secret: string, more = {}) => shown(auth, secret, more).header;

const KEYS = 'AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

describe('how a credential is shown', () => {
  it('in the header of its kind', () => {
    expect(header('bearer', 's')).toEqual(['authorization', 'Bearer s']);
    expect(header('api-key', 's')).toEqual(['api-key', 's']);
    expect(header('x-goog-api-key', 's')).toEqual(['x-goog-api-key', 's']);
    expect(header('none', 's')).toBeNull();
  });

  it('dialects §14.5: the Messages API takes keys as bearer tokens from its version of October 2026 on', () => {
    expect(header('x-api-key', 's')).toEqual(['x-api-key', 's']);
    expect(header('x-api-key', 's', { version: '2026-10-20' })).toEqual(['x-api-key', 's']);
    expect(header('x-api-key', 's', { version: '2026-10-21' })).toEqual(['authorization', 'Bearer s']);
    expect(header('x-api-key', 's', { version: '2027-01-01' })).toEqual(['authorization', 'Bearer s']);
  });

  it('access keys sign, whatever else is a bearer key', () => {
    const order = { kind: 'aws', region: 'eu-west-1', service: 'bedrock', keyId: 'AKIAIOSFODNN7EXAMPLE' };
    expect(shown('aws', KEYS)).toEqual({
      header: null,
      order: { ...order, secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', sessionToken: null },
    });
    expect(shown('aws', `${KEYS}:IQoJb3JpZ2lu//+=`).order).toMatchObject({ sessionToken: 'IQoJb3JpZ2lu//+=' });
    expect(shown('aws', 'AKID:secret:token').order).toMatchObject({ keyId: 'AKID', secretKey: 'secret' });
    expect(shown('aws', 'ABSKQmVkcm9ja0FQSUtleS1leGFtcGxl')).toEqual({
      header: ['authorization', 'Bearer ABSKQmVkcm9ja0FQSUtleS1leGFtcGxl'],
      order: null,
    });
  });

  it('a key file is exchanged, anything else is a token already', () => {
    expect(shown('service-account', ' {"private_key":"x"}').order).toMatchObject({
      kind: 'service-account',
      ownEndpoint: true,
    });
    expect(header('service-account', 'ya29.token')).toEqual(['authorization', 'Bearer ya29.token']);
  });

  it('as the dialect’s vendor wants it where a type speaks them all', () => {
    expect(header('by-dialect', 's')).toEqual(['authorization', 'Bearer s']);
    expect(header('by-dialect', 's', { dialect: 'anthropic' })).toEqual(['x-api-key', 's']);
    expect(header('by-dialect', 's', { dialect: 'gemini' })).toEqual(['x-goog-api-key', 's']);
    expect(shown('by-dialect', KEYS, { dialect: 'bedrock' }).order).toMatchObject({ kind: 'aws' });
  });
});

it('a key file says the account’s project', () => {
  expect(projectIn('{"project_id":"acme-1"}')).toBe('acme-1');
  for (const secret of ['{"project_id":"../x"}', '{"project_id":1}', '{broken', 'acme-1']) {
    expect(projectIn(secret)).toBeNull();
  }
});

describe('E-5: what of a secret must not be seen', () => {
  it('is all of a key, and of a key file the key alone', () => {
    expect(secretPartsOf('sk-1')).toEqual(['sk-1']);
    expect(secretPartsOf(KEYS)).toEqual([KEYS]);
    const pem = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n9w0BAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----\n';
    const file = { client_email: 'robot@acme.iam', private_key: pem, private_key_id: '0123456789abcdef0123' };
    expect(secretPartsOf(JSON.stringify(file))).toEqual([
      ...['MIIEvQIBADANBgkqhkiG', '9w0BAQEFAASCBKcwggSj', '0123456789abcdef0123'],
    ]);
    expect(secretPartsOf('{broken')).toEqual(['{broken']);
  });
});
