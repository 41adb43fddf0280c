/** `understudy verify-ledger`: one result per key, everywhere it was delivered (I-11)? */
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type LedgerReport, LedgerUnreadable, verifyLedger as verify } from '../assemble/verify-ledger.ts';
import { SealKeyError } from '../assemble.ts';
import { formatProblems, loadConfigFile } from '../config/load.ts';
import { VIOLATIONS, type Violation } from '../core/idempotency/check-key.ts';
import { barOf } from './bar.ts';
import { DEFAULT_CONFIG } from './serve.ts';
import { CommandFailure, type Shell } from './shell.ts';
import { packageVersion } from './version.ts';

export interface VerifyLedgerOptions {
  readonly config?: string;
  readonly data?: string;
  /** `postgres://…` */
  readonly store?: string;
  readonly json?: boolean;
}

const DEFAULT_STORE = './data/understudy.db';

/** Where the ledger is. */
interface Place {
  /** Null = in the folder. */
  readonly url: string | null;
  readonly dataDir: string;
  readonly logFile: string;
}

export async function verifyLedger(shell: Shell, options: VerifyLedgerOptions): Promise<void> {
  const place = await placeOf(shell, options);
  const bar = shell.progress;
  const { place: where = place.dataDir, ...report } = await examine(shell, place, bar);
  bar?.('');
  const shown = place.url === null ? { data: where } : { store: where };
  shell.print(options.json === true ? JSON.stringify({ ...shown, ...report }, null, 2) : inWords(where, report));
  if (report.violation_count > 0) throw new CommandFailure('', 1);
}

async function examine(
  shell: Shell,
  { url, dataDir, logFile }: Place,
  bar: ((line: string) => void) | undefined,
): Promise<LedgerReport & { readonly place?: string }> {
  const onProgress = (done: number, total: number): void => bar?.(barOf(done, total));
  const common = { dataDir, env: shell.env, onProgress };
  try {
    if (url === null) return await verify({ ...common, logFile });
    // Loaded where it is asked for: it brings the server's client library.
    const { verifyDatabase } = await import('../assemble/verify-database.ts');
    return await verifyDatabase({ ...common, url, version: packageVersion() });
  } catch (error) {
    bar?.('');
    if (error instanceof LedgerUnreadable && url !== null) throw new CommandFailure(error.message);
    if (error instanceof LedgerUnreadable) {
      throw new CommandFailure(`${error.message}; name the folder with --data`, existsSync(dataDir) ? 1 : 2);
    }
    if (error instanceof SealKeyError) throw new CommandFailure(error.message);
    throw error;
  }
}

/** Where the gateway keeps its records: as `serve` finds it. */
async function placeOf(shell: Shell, { config, data, store }: VerifyLedgerOptions): Promise<Place> {
  const isNamed = data !== undefined || store !== undefined;
  const file = config ?? (!isNamed && existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : null);
  const { path, url } = file === null ? { path: DEFAULT_STORE, url: null } : await configured(shell, file);
  return {
    url: store ?? (data === undefined ? url : null),
    dataDir: data ?? dirname(path),
    logFile: basename(path),
  };
}

async function configured(shell: Shell, file: string): Promise<{ readonly path: string; readonly url: string | null }> {
  const result = await loadConfigFile(file, { env: shell.env });
  if (result.ok) return { path: result.snapshot.storePath, url: result.snapshot.storeUrl?.reveal() ?? null };
  shell.complain(formatProblems(result.problems, file));
  throw new CommandFailure(`${file} does not say where the records are; name the folder with --data`, 2);
}

function inWords(dataDir: string, report: LedgerReport): string {
  const { keys, answers, attempts, records, live, violations, violation_count: count } = report;
  const log = records === null ? 'no request log' : `${records} keyed requests of the log`;
  const seen = `${keys} keys, ${attempts} attempts, ${answers} stored answers, ${log}`;
  const where = `${dataDir}${live ? ' (a gateway runs on it)' : ''}`;
  if (count === 0) return `${where}: ${seen}\nEvery key has one result at most, and it is what was delivered.`;
  const more = count > violations.length ? [`… and ${count - violations.length} more`] : [];
  const lines = violations.map(line);
  return [`${where}: ${seen}`, `${count} violation${count === 1 ? '' : 's'}:`, ...lines, ...more].join('\n');
}

function line({ kind, scope, key_hash, detail }: Violation): string {
  return `  ${kind}  ${scope}  ${key_hash}\n    ${VIOLATIONS[kind]}${detail === null ? '' : ` (${detail})`}`;
}
