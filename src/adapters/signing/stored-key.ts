/** A signing key as the store keeps it: the public part in the open, the private one sealed. */
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { PublicSigningKey } from '../../ports/entitlement.ts';
import type { StoredObject } from '../../ports/object-store.ts';
import type { Sealer } from '../../ports/sealer.ts';

export const SIGNING_KEY = 'signing_key';

/** `next`: published, not signing yet. `retired`: published, not signing any more. */
export type KeyState = 'next' | 'current' | 'retired';

const STATES: readonly unknown[] = ['next', 'current', 'retired'] satisfies KeyState[];

/** One key, read. */
export interface SigningKey {
  /** The number it was made under, from 1: two that make the same one at once meet in the store. */
  readonly no: number;
  readonly version: number;
  readonly state: KeyState;
  /** Wall ms since when it is in this state. */
  readonly since: number;
  readonly kid: string;
  /** Public key, base64url. */
  readonly x: string;
  readonly sealed: string;
}

/** What the private part is bound to: under another number it does not open. */
export function signingKeyContext(name: string): string {
  return `${SIGNING_KEY}:${name}`;
}

/** The keys among objects, oldest first; what is no key is left out. */
export function readSigningKeys(objects: readonly StoredObject[]): SigningKey[] {
  const keys = objects.filter(({ kind }) => kind === SIGNING_KEY).map(readKey);
  return keys.filter((key) => key !== null).sort((a, b) => a.no - b.no);
}

function readKey({ name, body, version }: StoredObject): SigningKey | null {
  const { state, since, kid, x, sealed } = body;
  const no = Number(name);
  const fits =
    Number.isSafeInteger(no) &&
    STATES.includes(state) &&
    typeof since === 'number' &&
    typeof kid === 'string' &&
    typeof x === 'string' &&
    typeof sealed === 'string';
  return fits ? { no, version, state: state as KeyState, since, kid, x, sealed } : null;
}

export function bodyOf({ state, since, kid, x, sealed }: SigningKey): Readonly<Record<string, unknown>> {
  return { state, since, kid, x, sealed };
}

/** Draws one. Throws `SealKeyError`. @param wall wall ms */
export function drawSigningKey(no: number, state: KeyState, wall: number, sealer: Pick<Sealer, 'seal'>): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const { d = '' } = privateKey.export({ format: 'jwk' });
  return {
    no,
    version: 0,
    state,
    since: wall,
    kid: thumbprint(x),
    x,
    sealed: sealer.seal(d, signingKeyContext(`${no}`)),
  };
}

/** Throws `SealBroken`. */
export function privateKeyOf({ no, x, sealed }: SigningKey, sealer: Pick<Sealer, 'open'>): KeyObject {
  const d = sealer.open(sealed, signingKeyContext(`${no}`));
  return createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x, d } });
}

export function publicKeyOf({ kid, x }: SigningKey): PublicSigningKey {
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x };
}

/** RFC 7638: the same key has the same name everywhere. */
function thumbprint(x: string): string {
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
}
