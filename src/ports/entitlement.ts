/**
 * Signed proof that an upstream call is one of this gateway's (G-5): a token per attempt, bound to the exact bytes it
 * sends, that anybody can check against published keys.
 */

/** What a token says. Names as RFC 7519 has them where it has them; times in whole seconds since the epoch. */
export interface EntitlementClaims {
  /** `entitlement.issuer`. */
  readonly iss: string;
  /** Name of the provider that is called: no other one's verifier takes it. */
  readonly aud: string;
  /** Workspace that asks. */
  readonly sub: string;
  /** Id of the attempt; no two calls share one. */
  readonly jti: string;
  /** Public id of the model. */
  readonly model: string;
  /** The provider's own name of it. */
  readonly upstream_model: string;
  /** SHA-256 of the body as it is sent, in lower-case hex; of nothing where nothing but a head is sent. */
  readonly body_sha256: string;
  readonly iat: number;
  readonly exp: number;
}

/** A public key as RFC 8037 writes it. */
export interface PublicSigningKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly alg: 'EdDSA';
  readonly use: 'sig';
  readonly kid: string;
  /** The key, base64url. */
  readonly x: string;
}

/** What `/.well-known/jwks.json` shows. */
export interface PublishedKeys {
  readonly keys: readonly PublicSigningKey[];
}

export interface Entitlement {
  /** Why nothing can be signed right now, in plain words; null = it can. */
  readonly problem: string | null;
  /** The token, a compact JWS. Throws `EntitlementUnavailable` where `problem` says why. */
  sign(claims: EntitlementClaims): string;
  /** Keys that tokens were, are or will soon be signed with. */
  published(): PublishedKeys;
}

/** A signing key as an operator sees it. */
export interface SigningKeyView {
  readonly kid: string;
  readonly state: 'next' | 'current' | 'retired';
  /** Wall ms since when. */
  readonly since: number;
}

/** What an operator may do with the keys. */
export interface SigningDesk {
  /** The oldest first. */
  signingKeys(): readonly SigningKeyView[];
  /**
   * The next key signs from now on. `revoke`: those before it are published no more, and what they signed is worth nothing as
   * soon as verifiers look again. Rejects as a change of objects does.
   */
  turnNow(revoke: boolean): Promise<void>;
}

/** No key is usable; `message` says why. */
export class EntitlementUnavailable extends Error {}
