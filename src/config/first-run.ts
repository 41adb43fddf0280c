/**
 * The first client key and admin token of a data folder: made once, shown once, kept as hashes in `first-run.json`
 * (0600), so that a restart knows them and nobody who reads the folder does.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GeneratedHashes } from './build/build-snapshot.ts';
import { hashSecret } from './build/tenants.ts';

export const FIRST_RUN_FILE = 'first-run.json';

export interface FirstRun {
  readonly hashes: GeneratedHashes;
  /** In plain, only when they were made just now. */
  readonly fresh: { readonly clientKey: string; readonly adminToken: string } | null;
}

/** The file is there and is none of ours. The message says what to do. */
export class FirstRunDamaged extends Error {}

const HASH = /^[0-9a-f]{64}$/;

/** Reads the folder's hashes, or makes key, token and file. Throws when the folder can not be used. */
export async function openFirstRun(dataDir: string): Promise<FirstRun> {
  const file = join(dataDir, FIRST_RUN_FILE);
  const known = await readHashes(file);
  if (known !== null) return { hashes: known, fresh: null };
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const fresh = { clientKey: token('us-'), adminToken: token('us-admin-') };
  const hashes = { clientKeyHash: hashSecret(fresh.clientKey), adminTokenHash: hashSecret(fresh.adminToken) };
  const text = { client_key_sha256: hashes.clientKeyHash, admin_token_sha256: hashes.adminTokenHash };
  // A second process that starts at the same moment must not overwrite what the first has shown already.
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(text, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
  const lost = await link(draft, file)
    .then(
      () => false,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return true;
        throw error;
      },
    )
    .finally(() => unlink(draft));
  return lost ? openFirstRun(dataDir) : { hashes, fresh };
}

function token(prefix: string): string {
  return prefix + randomBytes(24).toString('base64url');
}

async function readHashes(file: string): Promise<GeneratedHashes | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const { client_key_sha256: clientKeyHash, admin_token_sha256: adminTokenHash } = parse(text);
  if (typeof clientKeyHash === 'string' && typeof adminTokenHash === 'string') {
    if (HASH.test(clientKeyHash) && HASH.test(adminTokenHash)) return { clientKeyHash, adminTokenHash };
  }
  throw new FirstRunDamaged(`${file} is damaged; delete it to get a new client key and admin token`);
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
