import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ResealedText,
  type RotatingSealer,
  SealBroken,
  type SealedText,
  type SealedTexts,
  SealKeyError,
} from '../../ports/sealer.ts';
import { openSealer } from './open-sealer.ts';

const KEY_A = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const KEY_B = '202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f';

let dataDir: string;
let file: string;

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'sealer-'));
  file = path.join(dataDir, 'seal.key');
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const open = (env: Record<string, string> = {}) => openSealer({ dataDir, env });
const keyLines = () =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Sealed texts as a store keeps them. */
class Keeper implements SealedTexts {
  readonly texts = new Map<string, string>();
  /** Runs before a replacement is kept: a crash, a failing disk, somebody else's change. */
  before: () => void = () => undefined;

  static holding(sealer: RotatingSealer, ...names: string[]): Keeper {
    const keeper = new Keeper();
    for (const name of names) keeper.texts.set(name, sealer.seal(`secret of ${name}`, `credential ${name}`));
    return keeper;
  }

  list(): Promise<readonly SealedText[]> {
    const all = [...this.texts].map(([id, sealed]) => ({ id, context: `credential ${id}`, sealed }));
    return Promise.resolve(all);
  }

  replace(changes: readonly ResealedText[]): Promise<void> {
    this.before();
    for (const { id, was, sealed } of changes) if (this.texts.get(id) === was) this.texts.set(id, sealed);
    return Promise.resolve();
  }

  openAll(sealer: RotatingSealer): string[] {
    return [...this.texts].map(([id, sealed]) => sealer.open(sealed, `credential ${id}`));
  }
}

describe('the key file', () => {
  it('G-9: is made at the first seal, not before, for its owner alone', async () => {
    const sealer = await open();
    expect(() => sealer.open('v1.0123abcd.AAAA', 'c')).toThrow(SealBroken);
    expect(sealer.isCurrent('v1.0123abcd.AAAA')).toBe(false);
    expect(existsSync(file)).toBe(false);
    const sealed = sealer.seal('sk-1', 'credential a');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(sealer.isCurrent(sealed)).toBe(true);
    expect(keyLines()).toHaveLength(1);
    expect((await open()).open(sealed, 'credential a')).toBe('sk-1');
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  it('G-9: put back while the gateway runs is used, not written over', async () => {
    const sealer = await open();
    writeFileSync(file, `${KEY_A}\n`, { mode: 0o600 });
    sealer.seal('sk-1', 'c');
    expect(keyLines()).toEqual([KEY_A]);
  });

  it.each([0o640, 0o604, 0o644, 0o660])('G-9: with mode %o is refused with the remedy', async (mode) => {
    writeFileSync(file, `${KEY_A}\n`);
    chmodSync(file, mode);
    await expect(open()).rejects.toThrow(`run: chmod 600 ${file}`);
    await expect(open()).rejects.toThrow(SealKeyError);
  });

  it.each([
    ['cut', `${KEY_A.slice(0, 40)}\n`, /line 1, must be 32 random bytes/],
    ['with a bad second line', `${KEY_A}\nhello\n`, /line 2, must be 32 random bytes/],
    ['empty', '', /holds no key/],
    ['of remarks alone', '# nothing\n', /holds no key/],
  ])('G-9: %s is refused and left as it is', async (_, text, message) => {
    writeFileSync(file, text, { mode: 0o600 });
    await expect(open()).rejects.toThrow(message);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('G-9: that cannot be written fails the seal; nothing is sealed with a key that is not kept', async () => {
    const sealer = await open();
    rmSync(dataDir, { recursive: true });
    expect(() => sealer.seal('sk-1', 'c')).toThrow(SealKeyError);
    expect(() => sealer.seal('sk-1', 'c')).toThrow(/cannot be written/);
  });
});

describe('keys from the environment', () => {
  it('G-9: the environment comes before the file, whose keys still open', async () => {
    const filed = (await open()).seal('sk-1', 'c');
    const sealer = await open({ UNDERSTUDY_SEAL_KEY: KEY_A });
    expect(sealer.keySource).toBe('environment');
    expect(sealer.open(filed, 'c')).toBe('sk-1');
    expect(sealer.isCurrent(filed)).toBe(false);
    expect(sealer.isCurrent(sealer.seal('sk-2', 'c'))).toBe(true);
  });

  it('G-9: no file is made when the environment holds the key', async () => {
    (await open({ UNDERSTUDY_SEAL_KEY: `  ${KEY_A}\n` })).seal('sk-1', 'c');
    expect(existsSync(file)).toBe(false);
  });

  it('G-9: older keys open and never seal', async () => {
    const old = (await open({ UNDERSTUDY_SEAL_KEY: KEY_A })).seal('sk-1', 'c');
    const sealer = await open({ UNDERSTUDY_SEAL_KEY: KEY_B, UNDERSTUDY_SEAL_KEYS_OLD: `${KEY_B}, ${KEY_A}` });
    expect(sealer.open(old, 'c')).toBe('sk-1');
    expect(sealer.isCurrent(old)).toBe(false);
    expect(sealer.isCurrent(sealer.seal('sk-1', 'c'))).toBe(true);
  });

  it.each([
    [{ UNDERSTUDY_SEAL_KEY: 'hunter2' }, /^UNDERSTUDY_SEAL_KEY must be 32 random bytes/],
    [{ UNDERSTUDY_SEAL_KEYS_OLD: 'hunter2' }, /^UNDERSTUDY_SEAL_KEYS_OLD must be 32 random bytes/],
    [{ UNDERSTUDY_SEAL_KEYS_OLD: `${KEY_A} hunter2` }, /^UNDERSTUDY_SEAL_KEYS_OLD, key 2, must be/],
  ])('G-9: a key that is none is named by its variable', async (env, message) => {
    await expect(open(env)).rejects.toThrow(message);
    await expect(open(env)).rejects.not.toThrow(/hunter2/);
  });

  it('G-9: a text of an unknown key says which key is missing and where it can be given', async () => {
    const sealed = (await open({ UNDERSTUDY_SEAL_KEY: KEY_A })).seal('sk-1', 'c');
    const sealer = await open({ UNDERSTUDY_SEAL_KEY: KEY_B });
    expect(() => sealer.open(sealed, 'c')).toThrow(SealBroken);
    expect(() => sealer.open(sealed, 'c')).toThrow(new RegExp(`key ${sealed.split('.')[1]}, which is not known`));
    expect(() => sealer.open(sealer.seal('sk-1', 'c'), 'd')).toThrow(/for something else/);
  });
});

describe('rotation', () => {
  it('G-9: seals everything again with a new key and forgets the old one', async () => {
    const sealer = await open();
    const keeper = Keeper.holding(sealer, 'a', 'b');
    const before = new Map(keeper.texts);
    const [oldKey] = keyLines();
    const rotation = await sealer.rotate(keeper);
    expect(rotation).toMatchObject({ resealed: 2, broken: [], olderKeys: 0 });
    expect(keyLines()).toHaveLength(1);
    expect(keyLines()).not.toContain(oldKey);
    for (const [id, sealed] of keeper.texts) {
      expect(sealed).toContain(rotation.keyId);
      expect(sealed).not.toBe(before.get(id));
    }
    const reopened = await open();
    expect(keeper.openAll(reopened)).toEqual(['secret of a', 'secret of b']);
    expect(() => reopened.open(before.get('a')!, 'credential a')).toThrow(SealBroken);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('G-9: cut off before the new texts are durable, everything opens and the next rotation finishes', async () => {
    const sealer = await open();
    const keeper = Keeper.holding(sealer, 'a', 'b');
    keeper.before = () => {
      throw new Error('power cut');
    };
    await expect(sealer.rotate(keeper)).rejects.toThrow('power cut');
    expect(keyLines()).toHaveLength(2);
    const reopened = await open();
    expect(keeper.openAll(reopened)).toEqual(['secret of a', 'secret of b']);
    keeper.before = () => undefined;
    expect(await reopened.rotate(keeper)).toMatchObject({ resealed: 2, olderKeys: 0 });
    expect(keyLines()).toHaveLength(1);
    expect(keeper.openAll(await open())).toEqual(['secret of a', 'secret of b']);
  });

  it('G-9: cut off at any call of the keeper, a restart opens everything', async () => {
    for (let cut = 1; cut <= 3; cut += 1) {
      rmSync(file, { force: true });
      const sealer = await open();
      const keeper = Keeper.holding(sealer, 'a', 'b', 'c');
      let calls = 0;
      const cutting: SealedTexts = {
        list: () => (++calls === cut ? Promise.reject(new Error('cut')) : keeper.list()),
        replace: (changes) => (++calls === cut ? Promise.reject(new Error('cut')) : keeper.replace(changes)),
      };
      await expect(sealer.rotate(cutting)).rejects.toThrow('cut');
      expect(keeper.openAll(await open())).toHaveLength(3);
      expect(keeper.openAll(sealer)).toHaveLength(3);
      expect((await sealer.rotate(keeper)).broken).toEqual([]);
      expect(keeper.openAll(await open())).toHaveLength(3);
    }
  });

  it('G-9: a text replaced meanwhile keeps its newer value', async () => {
    const sealer = await open();
    const keeper = Keeper.holding(sealer, 'a', 'b');
    keeper.before = () => keeper.texts.set('a', sealer.seal('newer', 'credential a'));
    await sealer.rotate(keeper);
    expect(keeper.openAll(await open())).toEqual(['newer', 'secret of b']);
  });

  it('G-9: a key that some text still names is kept, and the text is named', async () => {
    const sealer = await open();
    const keeper = Keeper.holding(sealer, 'a', 'b');
    keeper.texts.set('moved', sealer.seal('x', 'another context'));
    keeper.texts.set('alien', 'v1.0123abcd.AAAA');
    expect(await sealer.rotate(keeper)).toMatchObject({ resealed: 2, broken: ['moved', 'alien'], olderKeys: 1 });
    expect((await open()).open(keeper.texts.get('moved')!, 'another context')).toBe('x');
  });

  it('G-9: with a key of the environment seals again what older keys had sealed, and empties the key file', async () => {
    const keeper = Keeper.holding(await open(), 'a', 'b');
    const sealer = await open({ UNDERSTUDY_SEAL_KEY: KEY_A });
    keeper.texts.set('c', sealer.seal('secret of c', 'credential c'));
    expect(await sealer.rotate(keeper)).toMatchObject({ resealed: 2, olderKeys: 0 });
    expect(existsSync(file)).toBe(false);
    expect(keeper.openAll(await open({ UNDERSTUDY_SEAL_KEY: KEY_A }))).toHaveLength(3);
    const next = await open({ UNDERSTUDY_SEAL_KEY: KEY_B, UNDERSTUDY_SEAL_KEYS_OLD: KEY_A });
    expect(await next.rotate(keeper)).toMatchObject({ resealed: 3, olderKeys: 1 });
    expect(keeper.openAll(await open({ UNDERSTUDY_SEAL_KEY: KEY_B }))).toHaveLength(3);
  });

  it('G-9: runs one at a time', async () => {
    const sealer = await open();
    const keeper = Keeper.holding(sealer, 'a');
    const first = sealer.rotate(keeper);
    await expect(sealer.rotate(keeper)).rejects.toThrow(SealKeyError);
    expect(await first).toMatchObject({ resealed: 1 });
    expect(await sealer.rotate(keeper)).toMatchObject({ resealed: 1 });
  });
});
