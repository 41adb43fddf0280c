/** How a secret is shown to an upstream: as a header, or as an order to whoever can sign or fetch a token. Pure. */
import type { Dialect } from '../core/wire-names.ts';
import { isBearerVersion } from './headers.ts';
import type { AuthKind } from './types.ts';

/** Something that has to happen between the request and its sending. */
export type SigningOrder =
  /** AWS Signature Version 4. */
  | {
      readonly kind: 'aws';
      readonly region: string;
      readonly service: string;
      readonly keyId: string;
      readonly secretKey: string;
      readonly sessionToken: string | null;
    }
  /** A bearer token for the account whose key file this is. */
  | {
      readonly kind: 'service-account';
      readonly keyFile: string;
      readonly scope: string;
      /** The file may name where tokens are had: it is the operator's own. Else it is the vendor's address (G-9). */
      readonly ownEndpoint: boolean;
    };

/** Both null = nothing is to be shown. */
export interface Shown {
  readonly header: readonly [name: string, value: string] | null;
  readonly order: SigningOrder | null;
}

/** What the way of showing depends on. */
export interface AuthPlace {
  readonly auth: AuthKind;
  readonly dialect: Dialect;
  /** Version of the Messages dialect as it is sent. */
  readonly version: string;
  readonly region: string;
  /** The credential is the operator's, none of a workspace. */
  readonly operators: boolean;
}

const CLOUD_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const SIGNED_SERVICE = 'bedrock';

/** `KEY:SECRET` or `KEY:SECRET:TOKEN`; bearer keys hold no colon. */
const ACCESS_KEYS = /^([^:\s]+):([^:\s]+)(?::(\S+))?$/;

export function authOf(place: AuthPlace, secret: string): Shown {
  switch (place.auth) {
    case 'none':
      return { header: null, order: null };
    case 'bearer':
      return bearer(secret);
    case 'x-api-key':
      return isBearerVersion(place.version) ? bearer(secret) : named('x-api-key', secret);
    case 'aws':
      return signed(secret, place.region);
    case 'service-account':
      return isKeyFile(secret) ? { header: null, order: tokenOrder(secret, place.operators) } : bearer(secret);
    case 'by-dialect':
      return authOf({ ...place, auth: AUTH_OF_DIALECT[place.dialect] }, secret);
    default:
      return named(place.auth, secret);
  }
}

const AUTH_OF_DIALECT: Readonly<Record<Dialect, AuthKind>> = {
  'openai-chat': 'bearer',
  'openai-responses': 'bearer',
  anthropic: 'x-api-key',
  gemini: 'x-goog-api-key',
  bedrock: 'aws',
};

function named(name: string, secret: string): Shown {
  return { header: [name, secret], order: null };
}

function bearer(secret: string): Shown {
  return named('authorization', `Bearer ${secret}`);
}

function signed(secret: string, region: string): Shown {
  const keys = ACCESS_KEYS.exec(secret);
  if (keys === null) return bearer(secret);
  const [, keyId = '', secretKey = '', token = ''] = keys;
  const sessionToken = token === '' ? null : token;
  return { header: null, order: { kind: 'aws', region, service: SIGNED_SERVICE, keyId, secretKey, sessionToken } };
}

function tokenOrder(keyFile: string, ownEndpoint: boolean): SigningOrder {
  return { kind: 'service-account', keyFile, scope: CLOUD_SCOPE, ownEndpoint };
}

/** A key file is a JSON object; anything else is a token already. */
export function isKeyFile(secret: string): boolean {
  return /^\s*\{/.test(secret);
}

/** The project an account belongs to, as its key file says; null = none is said. */
export function projectIn(secret: string): string | null {
  if (!isKeyFile(secret)) return null;
  try {
    const { project_id: project } = JSON.parse(secret) as { project_id?: unknown };
    return typeof project === 'string' && /^[A-Za-z0-9.:_-]+$/.test(project) ? project : null;
  } catch {
    return null;
  }
}

/** Where tokens of service accounts are had. */
export const TOKEN_ENDPOINT = 'https://oauth2.googleapis.com/token';

/**
 * What of a secret must never be seen (E-5). Of a key file only the key: its other words are common ones, and hiding them
 * would make every message unreadable.
 */
export function secretPartsOf(secret: string): readonly string[] {
  if (!isKeyFile(secret)) return [secret];
  try {
    const { private_key: key, private_key_id: id } = JSON.parse(secret) as Record<string, unknown>;
    const parts = typeof key === 'string' ? key.split('\n').filter((line) => !line.startsWith('--')) : [];
    return [...parts, ...(typeof id === 'string' ? [id] : [])].filter((part) => part.length >= MIN_PART);
  } catch {
    return [secret];
  }
}

const MIN_PART = 16;
