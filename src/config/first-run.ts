/**
 * The first client key and admin token of a data folder: made once, shown once, kept as hashes in `first-run.json`
 * (0600), so that a restart knows them and nobody who reads the folder does.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GeneratedHashes } from './build/build-snapshot.ts';
import { secretHash } from './secret-hash.ts';

export const FIRST_RUN_FILE = 'first-run.json';

export interface FirstRun {
  readonly hashes: GeneratedHashes;
  /** In plain, what was made just now; an empty text for the half that was there already. Null: both were. */
  readonly fresh: { readonly clientKey: string; readonly adminToken: string } | null;
  /** Takes back what was made just now, while nobody has been shown it. Absent: whoever starts the gateway does. */
  readonly withdraw?: () => Promise<void>;
}

/** Which halves of the pair. */
export interface Halves {
  readonly clientKey: boolean;
  readonly adminToken: boolean;
}

const BOTH: Halves = { clientKey: true, adminToken: true };

/** The file is there and is none of ours. The message says what to do. */
export class FirstRunDamaged extends Error {}

const NOTHING: GeneratedHashes = { clientKeyHash: null, adminTokenHash: null };
const HASH = /^[0-9a-f]{64}$/;

/**
 * Reads the folder's hashes and makes what is missing. The caller holds the folder's lock: two processes would show
 * keys that the other overwrites. Throws when the folder can not be used.
 */
export async function openFirstRun(dataDir: string): Promise<FirstRun> {
  const made = withMade(await readKnown(dataDir), BOTH);
  if (made.fresh === null) return made;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeKnown(dataDir, made.hashes);
  return made;
}

/** What is known, and beside it what is needed and was not. */
export function withMade(known: GeneratedHashes, needed: Halves): FirstRun {
  const fresh = {
    clientKey: needed.clientKey && known.clientKeyHash === null ? token('us-') : '',
    adminToken: needed.adminToken && known.adminTokenHash === null ? token('us-admin-') : '',
  };
  if (fresh.clientKey === '' && fresh.adminToken === '') return { hashes: known, fresh: null };
  const hashes = {
    clientKeyHash: fresh.clientKey === '' ? known.clientKeyHash : secretHash(fresh.clientKey),
    adminTokenHash: fresh.adminToken === '' ? known.adminTokenHash : secretHash(fresh.adminToken),
  };
  return { hashes, fresh };
}

/** Which halves the folder holds. */
export async function knownHalves(dataDir: string): Promise<Halves> {
  const known = await readKnown(dataDir);
  return { clientKey: known.clientKeyHash !== null, adminToken: known.adminTokenHash !== null };
}

/** Takes back halves that nobody was shown, so that the next start makes and shows them. */
export async function withdrawFirstRun(dataDir: string, halves: Halves): Promise<void> {
  const known = await readKnown(dataDir);
  const kept = {
    clientKeyHash: halves.clientKey ? null : known.clientKeyHash,
    adminTokenHash: halves.adminToken ? null : known.adminTokenHash,
  };
  if (kept.clientKeyHash === known.clientKeyHash && kept.adminTokenHash === known.adminTokenHash) return;
  if (kept.clientKeyHash === null && kept.adminTokenHash === null) await unlink(join(dataDir, FIRST_RUN_FILE));
  else await writeKnown(dataDir, kept);
}

function token(prefix: string): string {
  return prefix + randomBytes(24).toString('base64url');
}

async function writeKnown(dataDir: string, known: GeneratedHashes): Promise<void> {
  const file = join(dataDir, FIRST_RUN_FILE);
  const text = {
    ...(known.clientKeyHash === null ? {} : { client_key_sha256: known.clientKeyHash }),
    ...(known.adminTokenHash === null ? {} : { admin_token_sha256: known.adminTokenHash }),
  };
  // Written aside and renamed: half a file after a crash would be one that has to be deleted by hand.
  const draft = `${file}.new`;
  await writeFile(draft, `${JSON.stringify(text, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
}

async function readKnown(dataDir: string): Promise<GeneratedHashes> {
  const file = join(dataDir, FIRST_RUN_FILE);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NOTHING;
    throw error;
  }
  const { client_key_sha256: clientKeyHash = null, admin_token_sha256: adminTokenHash = null } = parse(text) ?? {
    client_key_sha256: 0,
  };
  if (isHash(clientKeyHash) && isHash(adminTokenHash)) return { clientKeyHash, adminTokenHash };
  throw new FirstRunDamaged(`${file} is damaged; delete it to get a new client key and admin token`);
}

function isHash(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && HASH.test(value));
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
