// Whether a call is the gateway's: its token is signed by it, meant for us, still holds, is new, and speaks of this body.
import { createHash } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';

// Clocks differ a little.
const LEEWAY_S = 5;

/**
 * @param jwksUrl the gateway's /.well-known/jwks.json
 * @param provider our name in the gateway's configuration
 * @param issuer its `entitlement.issuer`
 * @returns (token, body) => the claims; rejects with the reason
 */
export function createVerifier({ jwksUrl, provider, issuer = 'understudy' }) {
  const keys = createRemoteJWKSet(new URL(jwksUrl));
  const seen = new Map();

  return async (token, body) => {
    if (typeof token !== 'string') throw new Error('there is no token');
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ['EdDSA'],
      issuer,
      audience: provider,
      clockTolerance: LEEWAY_S,
      requiredClaims: ['exp', 'jti', 'body_sha256'],
    });
    const digest = createHash('sha256').update(body).digest('hex');
    if (payload.body_sha256 !== digest) throw new Error('the token is for another body');
    once(seen, payload);
    return payload;
  };
}

/** Each token is taken once. Behind several servers `seen` belongs into a store they share. */
function once(seen, { jti, exp }) {
  const now = Date.now() / 1000;
  for (const [id, end] of seen) {
    if (end > now) break;
    seen.delete(id);
  }
  if (seen.has(jti)) throw new Error('the token was used before');
  seen.set(jti, exp + LEEWAY_S);
}
