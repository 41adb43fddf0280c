/** The key file `DATA/seal.key`: one key a line, the current one first, `#` starts a remark. Its owner's alone (0600). */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SealKeyError } from '../../ports/sealer.ts';
import { readSealKey, type SealKey } from './seal-key.ts';

/** A key and its line in the file. */
export interface FiledKey {
  readonly sealKey: SealKey;
  readonly text: string;
}

const HEAD = `# Keys that seal stored credentials, the current one first. Without them those credentials cannot be read:
# keep a copy, away from copies of state.db.
`;

/** Null = there is no such file. Throws `SealKeyError` when others may read it or a line is no key. */
export function readKeyFile(file: string): readonly FiledKey[] | null {
  let text: string;
  try {
    checkMode(file);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error instanceof SealKeyError ? error : new SealKeyError(`${file} cannot be read: ${reason(error)}`);
  }
  const keys: FiledKey[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const key = line.replace(/#.*/, '').trim();
    if (key !== '') keys.push({ sealKey: readSealKey(key, `${file}, line ${index + 1},`), text: key });
  }
  // Half a file is no reason to start over: what was sealed could then never be opened.
  if (keys.length === 0) throw new SealKeyError(`${file} holds no key; put it back from a copy, or remove the file`);
  return keys;
}

/** In one step, durable before it returns: a crash leaves the old file or the new one, whole. */
export function writeKeyFile(file: string, keys: readonly FiledKey[]): void {
  const fresh = `${file}.new`;
  try {
    rmSync(fresh, { force: true });
    const text = HEAD + keys.map((key) => `${key.text}\n`).join('');
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(fresh, file);
    syncFolder(path.dirname(file));
  } catch (error) {
    throw new SealKeyError(`${file} cannot be written: ${reason(error)}`);
  }
}

/** Where the environment holds every key that is needed. */
export function removeKeyFile(file: string): void {
  try {
    rmSync(file, { force: true });
    syncFolder(path.dirname(file));
  } catch (error) {
    throw new SealKeyError(`${file} cannot be removed: ${reason(error)}`);
  }
}

function checkMode(file: string): void {
  const { mode } = statSync(file);
  // Windows has no such bits; access lists rule there.
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  throw new SealKeyError(`${file} may be read by others than its owner; run: chmod 600 ${file}`);
}

/** A renamed file is durable only once its folder is. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
