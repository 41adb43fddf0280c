/**
 * Who asks: a bearer key, any, or a signature (AWS Signature Version 4) by an access key. The simulator knows the secret
 * of every access key: it is made of the key's own id.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Refusal } from '../../answer/request.ts';
import type { Ask } from '../dialect.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const HEADER =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request,\s*SignedHeaders=([a-z0-9;-]+),\s*Signature=([0-9a-f]{64})$/;
const SERVICE = 'bedrock';

/** The secret that belongs to an access key id. */
export function secretOf(keyId: string): string {
  return `SECRETOF/${keyId}`;
}

/** Null = let in. Without any credential only strict models refuse. `raw` = the body's bytes. */
export function credentialProblem(ask: Ask, strict: boolean, raw: Uint8Array): Refusal | null {
  const given = ask.headers.authorization ?? '';
  if (/^Bearer\s+\S/i.test(given)) return null;
  if (given === '') {
    return strict ? refused('MissingAuthenticationTokenException', 'Missing Authentication Token') : null;
  }
  const match = HEADER.exec(given);
  if (match === null) {
    return refused('IncompleteSignatureException', 'Authorization header requires a valid signature of version 4.');
  }
  const [, keyId = '', day = '', region = '', service = '', signed = '', signature = ''] = match;
  const date = ask.headers['x-amz-date'];
  const names = signed.split(';');
  if (service !== SERVICE || typeof date !== 'string' || !date.startsWith(day) || !names.includes('host')) {
    return refused('IncompleteSignatureException', 'Credential should be scoped to this service, date and host.');
  }
  const unsigned = Object.keys(ask.headers).find((name) => name.startsWith('x-amz-') && !names.includes(name));
  if (unsigned !== undefined) return refused('IncompleteSignatureException', `${unsigned} must be signed.`);
  const scope = [day, region, service, 'aws4_request'];
  const toSign = [ALGORITHM, date, scope.join('/'), sha256(canonicalRequest(ask, names, raw))].join('\n');
  const key = scope.reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${secretOf(keyId)}`);
  const expected = hmac(key, toSign);
  if (timingSafeEqual(expected, Buffer.from(signature, 'hex'))) return null;
  return refused(
    'InvalidSignatureException',
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
  );
}

function refused(code: string, message: string): Refusal {
  return { status: 403, message, param: null, code };
}

function canonicalRequest({ method, path, query, headers }: Ask, names: readonly string[], raw: Uint8Array): string {
  const lines = names.map((name) => `${name}:${textOf(headers[name])}\n`);
  return [method, encodedAgain(path), sortedQuery(query), lines.join(''), names.join(';'), sha256(raw)].join('\n');
}

function textOf(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value.join(',') : (value ?? '')).trim().replaceAll(/\s+/g, ' ');
}

/** Each segment of a path that is percent-encoded already. */
function encodedAgain(path: string): string {
  return path.split('/').map(encoded).join('/');
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sortedQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&');
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
