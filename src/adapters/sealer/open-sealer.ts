/** The sealer of a data folder: its keys from the environment or the key file, the newest seals, all of them open (G-9). */
import path from 'node:path';
import {
  type ResealedText,
  type RotatingSealer,
  type Rotation,
  SealBroken,
  type SealedTexts,
  SealKeyError,
} from '../../ports/sealer.ts';
import { type FiledKey, readKeyFile, removeKeyFile, writeKeyFile } from './key-file.ts';
import { drawSealKey, readSealKey, type SealKey } from './seal-key.ts';
import { keyIdOfBytes, openBytes, sealBytes } from './sealed-bytes.ts';
import { keyIdOf, openText, sealText } from './sealed-text.ts';

export interface SealerInit {
  readonly dataDir: string;
  /** Read here: `UNDERSTUDY_SEAL_KEY`, the current key, and `UNDERSTUDY_SEAL_KEYS_OLD`, older ones by comma or blank. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const KEY_VARIABLE = 'UNDERSTUDY_SEAL_KEY';
const OLD_VARIABLE = 'UNDERSTUDY_SEAL_KEYS_OLD';
const UNFIT = 'it was sealed for something else, or it is damaged';

/**
 * Reads what keys there are; makes none. The key file is made when something is sealed for the first time and the
 * environment names no key. Rejects with `SealKeyError`.
 */
export async function openSealer({ dataDir, env }: SealerInit): Promise<RotatingSealer> {
  const current = env[KEY_VARIABLE]?.trim() ?? '';
  const older = (env[OLD_VARIABLE] ?? '').split(/[\s,]+/).filter((text) => text !== '');
  const file = path.join(path.resolve(dataDir), 'seal.key');
  return new KeyRing(
    file,
    current === '' ? null : readSealKey(current, KEY_VARIABLE),
    older.map((text, index) =>
      readSealKey(text, older.length === 1 ? OLD_VARIABLE : `${OLD_VARIABLE}, key ${index + 1},`),
    ),
    readKeyFile(file) ?? [],
  );
}

class KeyRing implements RotatingSealer {
  readonly keySource: 'environment' | 'file';
  readonly #file: string;
  readonly #fromEnv: SealKey | null;
  readonly #oldFromEnv: readonly SealKey[];
  #filed: readonly FiledKey[];
  #rotating = false;

  constructor(file: string, fromEnv: SealKey | null, oldFromEnv: readonly SealKey[], filed: readonly FiledKey[]) {
    this.keySource = fromEnv === null ? 'file' : 'environment';
    this.#file = file;
    this.#fromEnv = fromEnv;
    this.#oldFromEnv = oldFromEnv;
    this.#filed = filed;
  }

  seal(plain: string, context: string): string {
    return sealText(plain, context, this.#current() ?? this.#firstKey());
  }

  open(sealed: string, context: string): string {
    const id = keyIdOf(sealed);
    if (id === null) throw new SealBroken('it is not a sealed text');
    const plain = openText(sealed, context, this.#keyOf(id));
    if (plain === null) throw new SealBroken(UNFIT);
    return plain;
  }

  sealBytes(plain: Uint8Array, context: string): Uint8Array {
    return sealBytes(plain, context, this.#current() ?? this.#firstKey());
  }

  openBytes(sealed: Uint8Array, context: string): Uint8Array {
    const id = keyIdOfBytes(sealed);
    if (id === null) throw new SealBroken('these are no sealed bytes');
    const plain = openBytes(sealed, context, this.#keyOf(id));
    if (plain === null) throw new SealBroken(UNFIT);
    return plain;
  }

  isCurrent(sealed: string): boolean {
    const current = this.#current();
    return current !== null && keyIdOf(sealed) === current.id;
  }

  async rotate(texts: SealedTexts): Promise<Rotation> {
    if (this.#rotating) throw new SealKeyError('a rotation is under way');
    this.#rotating = true;
    try {
      const current = this.#fromEnv ?? this.#addKey();
      const resealed = await this.#resealAll(texts);
      const left = (await texts.list()).filter(({ sealed }) => !this.isCurrent(sealed));
      const ofBytes = (await texts.keysOfBytes?.()) ?? [];
      this.#forgetAllBut(new Set([current.id, ...left.map(({ sealed }) => keyIdOf(sealed) ?? ''), ...ofBytes]));
      return {
        keyId: current.id,
        resealed,
        broken: left.map(({ id }) => id),
        olderKeys: this.#all().length - 1,
      };
    } finally {
      this.#rotating = false;
    }
  }

  #keyOf(id: string): SealKey {
    const key = this.#all().find((known) => known.id === id);
    if (key !== undefined) return key;
    throw new SealBroken(
      `it was sealed with the key ${id}, which is not known here; give that key in ${KEY_VARIABLE} or ${OLD_VARIABLE}, or put it back into ${this.#file}`,
    );
  }

  #current(): SealKey | null {
    return this.#fromEnv ?? this.#filed[0]?.sealKey ?? null;
  }

  #all(): readonly SealKey[] {
    const all = [...this.#oldFromEnv, ...this.#filed.map(({ sealKey }) => sealKey)];
    if (this.#fromEnv !== null) all.unshift(this.#fromEnv);
    return [...new Map(all.map((key) => [key.id, key])).values()];
  }

  /** A file that was put back since the start is taken as it is, never written over. */
  #firstKey(): SealKey {
    this.#filed = readKeyFile(this.#file) ?? [];
    return this.#current() ?? this.#addKey();
  }

  /** The new key is durable before anything is sealed with it. */
  #addKey(): SealKey {
    const fresh = drawSealKey();
    const filed = [fresh, ...(readKeyFile(this.#file) ?? this.#filed)];
    writeKeyFile(this.#file, filed);
    this.#filed = filed;
    return fresh.sealKey;
  }

  async #resealAll(texts: SealedTexts): Promise<number> {
    const changes: ResealedText[] = [];
    for (const { id, context, sealed } of await texts.list()) {
      if (this.isCurrent(sealed)) continue;
      try {
        changes.push({ id, was: sealed, sealed: this.seal(this.open(sealed, context), context) });
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error;
      }
    }
    if (changes.length > 0) await texts.replace(changes);
    return changes.length;
  }

  /** Keys of the environment stay: it is the operator who takes them out. */
  #forgetAllBut(needed: ReadonlySet<string>): void {
    const kept = this.#filed.filter(({ sealKey }) => needed.has(sealKey.id));
    if (kept.length === this.#filed.length) return;
    if (kept.length === 0) removeKeyFile(this.#file);
    else writeKeyFile(this.#file, kept);
    this.#filed = kept;
  }
}
