import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RotatingSealer, SealBroken } from '../../ports/sealer.ts';
import { openSealer } from './open-sealer.ts';
import { keyIdOfBytes } from './sealed-bytes.ts';

let dir: string;
let sealer: RotatingSealer;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sealed-bytes-'));
  sealer = await openSealer({ dataDir: dir, env: {} });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const plain = Buffer.from('an answer \u0000 with any bytes \xff', 'latin1');
const noTexts = { list: () => Promise.resolve([]), replace: () => Promise.resolve() };

describe('sealed bytes (I-4, G-9)', () => {
  it('I-4: open to what was sealed, show nothing of it, and differ every time', () => {
    const sealed = sealer.sealBytes(plain, 'answer k');
    expect(Buffer.from(sealer.openBytes(sealed, 'answer k'))).toEqual(plain);
    expect(sealed.length).toBe(plain.length + 33);
    expect(Buffer.from(sealed).includes('answer')).toBe(false);
    expect(sealer.sealBytes(plain, 'answer k')).not.toEqual(sealed);
    expect(sealer.openBytes(sealer.sealBytes(Buffer.alloc(0), 'x'), 'x')).toHaveLength(0);
  });

  it('I-4: another context, any changed byte, or a cut opens nothing', () => {
    const sealed = sealer.sealBytes(plain, 'answer k');
    expect(() => sealer.openBytes(sealed, 'answer other')).toThrow(SealBroken);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Uint8Array.from(sealed);
      changed[at]! ^= 1;
      expect(() => sealer.openBytes(changed, 'answer k'), `byte ${at}`).toThrow(SealBroken);
      expect(() => sealer.openBytes(sealed.subarray(0, at), 'answer k'), `length ${at}`).toThrow(SealBroken);
    }
  });

  it('G-9: a rotation keeps the key of stored bytes as long as they name it, and no longer', async () => {
    const sealed = sealer.sealBytes(plain, 'answer k');
    const named = keyIdOfBytes(sealed)!;
    const kept = await sealer.rotate({ ...noTexts, keysOfBytes: () => Promise.resolve([named]) });
    expect(kept).toMatchObject({ olderKeys: 1 });
    expect(Buffer.from(sealer.openBytes(sealed, 'answer k'))).toEqual(plain);
    const again = await openSealer({ dataDir: dir, env: {} });
    expect(Buffer.from(again.openBytes(sealed, 'answer k'))).toEqual(plain);
    await sealer.rotate({ ...noTexts, keysOfBytes: () => Promise.resolve([]) });
    expect(() => sealer.openBytes(sealed, 'answer k')).toThrow(/is not known here/);
  });
});
