import { describe, expect, it } from 'vitest';
import type { EntitlementClaims } from '../ports/entitlement.ts';
import { entitle, lacksEntitlement } from './entitle.ts';

type Snapshot = Parameters<typeof lacksEntitlement>[1] & Parameters<typeof entitle>[1]['snapshot'];

const SETTINGS = { ttlMs: 1500, header: 'x-token', issuer: 'me', rotateEveryMs: 1 };

function snapshot(providers: readonly string[], baseUrl: string | null = null): Snapshot {
  const part = {
    channels: [{ provider: { name: 'gpu' }, upstreamModel: 'up/m' }],
    models: [{ id: 'acme/m' }],
    credentials: [{ baseUrl }],
    entitlement: { ...SETTINGS, providers: new Set(providers) },
  };
  return part as unknown as Snapshot;
}

const TARGET = { model: 0, channel: 0, credential: 0 };
const clock = { wall: () => 10_900, now: () => 0, after: () => () => undefined };

function hook(known: Snapshot, signed: EntitlementClaims[] = [], target = TARGET) {
  const entitlement = {
    problem: null,
    sign: (claims: EntitlementClaims) => `token ${signed.push(claims)}`,
    published: () => ({ keys: [] }),
  };
  const job = { snapshot: known, workspace: 'acme', identity: { requestId: 'req_7', clientRequestId: null } };
  return entitle({ entitlement, storeClock: clock }, job, target, 3).entitle;
}

describe('G-5: which calls carry a token, and what it says', () => {
  it('those of providers that are listed; its life begins when the bytes are known', () => {
    const signed: EntitlementClaims[] = [];
    expect(hook(snapshot(['gpu']), signed)?.('e3')).toEqual(['x-token', 'token 1']);
    expect(signed).toEqual([
      {
        iss: 'me',
        aud: 'gpu',
        sub: 'acme',
        jti: 'att_7_3',
        model: 'acme/m',
        upstream_model: 'up/m',
        body_sha256: 'e3',
        iat: 10,
        exp: 12,
      },
    ]);
  });

  it('no other provider, and no address that a workspace chose: neither token nor refusal', () => {
    const broken = { problem: 'no key' };
    for (const known of [snapshot([]), snapshot(['other']), snapshot(['gpu'], 'https://elsewhere.example')]) {
      expect(hook(known)).toBeUndefined();
      expect(lacksEntitlement(broken, known, TARGET)).toBe(false);
    }
    expect(lacksEntitlement(broken, snapshot(['gpu']), TARGET)).toBe(true);
    expect(lacksEntitlement({ problem: null }, snapshot(['gpu']), TARGET)).toBe(false);
  });
});
