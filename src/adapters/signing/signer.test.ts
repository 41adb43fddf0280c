import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../sim/virtual/virtual-clock.ts';
import { MemoryObjects } from '../../../test/support/memory-objects.ts';
import type { EntitlementClaims } from '../../ports/entitlement.ts';
import type { StoredObject } from '../../ports/object-store.ts';
import { SealBroken, type Sealer } from '../../ports/sealer.ts';
import { EntitlementSigner, type KeyShelf } from './signer.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RULES = { ttlMs: 60_000, rotateEveryMs: 30 * DAY };

/** Opens only for the context it was sealed for, and only as long as it has its key. */
class TestSealer implements Pick<Sealer, 'seal' | 'open'> {
  lost = false;
  seal(plain: string, context: string): string {
    return `sealed ${context} ${Buffer.from(plain).toString('base64')}`;
  }
  open(sealed: string, context: string): string {
    const start = `sealed ${context} `;
    if (this.lost || !sealed.startsWith(start)) throw new SealBroken('no such key');
    return Buffer.from(sealed.slice(start.length), 'base64').toString();
  }
}

let clock: VirtualClock;
let store: MemoryObjects;
let sealer: TestSealer;
beforeEach(() => {
  clock = new VirtualClock();
  store = new MemoryObjects();
  sealer = new TestSealer();
});

/** One gateway's view of the store: as it last read it. */
class Replica {
  readonly problems: (string | null)[] = [];
  asks = true;
  readonly signer: EntitlementSigner;
  #known: readonly StoredObject[] = [];
  #doubt = false;

  constructor() {
    const shelf: KeyShelf = {
      objects: () => this.#known,
      // As the configuration does it: what failed is looked up before the next change.
      change: async (changes) => {
        if (this.#doubt) await this.read();
        this.#doubt = true;
        const made = changes(this.#known);
        if (made.length > 0) await store.change(made, clock.wall());
        await this.read();
        this.#doubt = false;
      },
    };
    const onProblem = (problem: string | null) => void this.problems.push(problem);
    this.signer = new EntitlementSigner({ shelf, sealer, clock, rules: () => (this.asks ? RULES : null), onProblem });
  }

  async read(): Promise<void> {
    this.#known = await store.load();
  }
}

async function started(): Promise<Replica> {
  const replica = new Replica();
  await replica.read();
  await replica.signer.start();
  return replica;
}

const claims = (more: Partial<EntitlementClaims> = {}): EntitlementClaims => {
  const iat = Math.floor(clock.wall() / 1000);
  return {
    iss: 'understudy',
    aud: 'gpu',
    sub: 'acme',
    jti: 'att_1_1',
    model: 'm',
    upstream_model: 'up',
    body_sha256: 'e3',
    iat,
    exp: iat + 60,
    ...more,
  };
};

const setOf = (signer: EntitlementSigner): JSONWebKeySet => signer.published() as unknown as JSONWebKeySet;
const verify = (token: string, set: JSONWebKeySet) =>
  jwtVerify(token, createLocalJWKSet(set), {
    issuer: 'understudy',
    audience: 'gpu',
    currentDate: new Date(clock.wall()),
  });
const states = () => store.all.map(({ name, body }) => `${name} ${String(body['state'])}`);

/** Moves on, whatever is due on the way, until `ms` have passed. */
async function pass(ms: number): Promise<void> {
  let over = false;
  clock.after(ms, () => {
    over = true;
  });
  while (!over && clock.step()) await new Promise((turn) => setImmediate(turn));
}

describe('G-5: what is signed', () => {
  it('another library verifies it by the published keys, and reads every claim', async () => {
    const { signer } = await started();
    expect(signer.problem).toBeNull();
    const token = signer.sign(claims());
    const { payload, protectedHeader } = await verify(token, setOf(signer));
    expect(payload).toEqual(claims());
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: signer.published().keys[0]?.kid });
    const forged = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    await expect(verify(forged, setOf(signer))).rejects.toThrow();
  });

  it('nothing private is published, nor stored in the open', async () => {
    const { signer } = await started();
    for (const key of signer.published().keys)
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    for (const { body } of store.all) {
      expect(Object.keys(body).sort()).toEqual(['kid', 'sealed', 'since', 'state', 'x']);
      expect(body['sealed']).toMatch(/^sealed signing_key:\d+ /);
    }
  });

  it('where nobody asks for tokens no key is made', async () => {
    const replica = new Replica();
    replica.asks = false;
    await replica.signer.start();
    await pass(DAY);
    expect(store.all).toEqual([]);
    expect(replica.signer.published()).toEqual({ keys: [] });
    expect(replica.problems).toEqual([]);
    replica.asks = true;
    await replica.signer.tend();
    expect(replica.signer.problem).toBeNull();
  });
});

describe('G-5: rotation, in virtual time', () => {
  it('over a year every token is verified by a set fetched an hour before it, and by one fetched at its end', async () => {
    const { signer } = await started();
    const kids = new Set<string>();
    let fetched = setOf(signer);
    for (let day = 0; day < 365; day += 1) {
      await pass(DAY - HOUR);
      fetched = setOf(signer);
      await pass(HOUR);
      const token = signer.sign(claims());
      await verify(token, fetched);
      kids.add(decodeProtectedHeader(token).kid ?? '');
      await pass(RULES.ttlMs - 1000);
      await verify(token, setOf(signer));
    }
    expect(kids.size).toBe(13);
    expect(store.all.length).toBeLessThanOrEqual(3);
  });

  it('next → current → retired → gone', async () => {
    await started();
    expect(states()).toEqual(['1 current', '2 next']);
    await pass(30 * DAY - 60_000);
    expect(states()).toEqual(['1 current', '2 next']);
    await pass(2 * 60_000);
    expect(states()).toEqual(['1 retired', '2 current', '3 next']);
    await pass(HOUR + 3 * 60_000);
    expect(states()).toEqual(['2 current', '3 next']);
  });

  it('a restart goes on with the keys there are', async () => {
    const before = await started();
    const token = before.signer.sign(claims());
    await before.signer.close();
    const after = await started();
    expect(setOf(after.signer)).toEqual(setOf(before.signer));
    await verify(token, setOf(after.signer));
    expect(decodeProtectedHeader(after.signer.sign(claims())).kid).toBe(decodeProtectedHeader(token).kid);
  });
});

describe('G-5: several gateways over one store', () => {
  it('starting at once they make one set of keys', async () => {
    const both = [new Replica(), new Replica()];
    await Promise.all(both.map(({ signer }) => signer.start()));
    expect(states()).toEqual(['1 current', '2 next']);
    expect(both.map(({ signer, problems }) => [signer.problem, problems])).toEqual([
      [null, []],
      [null, []],
    ]);
    await verify(both[0]!.signer.sign(claims()), setOf(both[1]!.signer));
  });

  it('one that has not heard of a turn yet signs what all others verify', async () => {
    const [first, second] = [await started(), await started()];
    await second.signer.close();
    await pass(30 * DAY + 60_000);
    expect(states()).toContain('2 current');
    const late = second.signer.sign(claims());
    const early = first.signer.sign(claims());
    expect(decodeProtectedHeader(late).kid).not.toBe(decodeProtectedHeader(early).kid);
    await verify(late, setOf(first.signer));
    // And what the other signs is known where the turn is not.
    await verify(early, setOf(second.signer));
  });
});

describe('G-5, H-5: without a usable key nothing is signed', () => {
  it('a store that cannot keep one: told once, tried again, told when it is over', async () => {
    store.before = () => {
      throw new Error('the disk is full');
    };
    const { signer, problems } = await started();
    expect(signer.problem).toBe('there is no signing key yet');
    expect(() => signer.sign(claims())).toThrow('there is no signing key yet');
    await pass(10 * 60_000);
    expect(problems).toEqual(['signing keys cannot be renewed: the disk is full']);
    store.before = () => undefined;
    await pass(2 * 60_000);
    expect(problems).toEqual(['signing keys cannot be renewed: the disk is full', null]);
    expect(signer.problem).toBeNull();
  });

  it('a store that fails at a turn: the old key goes on', async () => {
    const { signer, problems } = await started();
    const { kid } = signer.published().keys[0]!;
    store.before = () => {
      throw new Error('the disk is full');
    };
    await pass(31 * DAY);
    expect(problems).toHaveLength(1);
    expect(decodeProtectedHeader(signer.sign(claims())).kid).toBe(kid);
  });

  it('a key that was sealed with another key is not replaced: other gateways may open it', async () => {
    await (await started()).signer.close();
    sealer.lost = true;
    const { signer, problems } = await started();
    expect(signer.problem).toBe('the signing key cannot be opened: no such key');
    expect(problems).toEqual(['the signing key cannot be opened: no such key']);
    expect(() => signer.sign(claims())).toThrow('cannot be opened');
    expect(states()).toEqual(['1 current', '2 next']);
  });

  it('what is no key is left alone', async () => {
    await store.change(
      [{ kind: 'signing_key', name: 'x', body: { state: 'current' }, expectedVersion: 0, by: 'gateway' }],
      0,
    );
    const { signer } = await started();
    expect(signer.problem).toBeNull();
    expect(signer.published().keys).toHaveLength(2);
  });
});
