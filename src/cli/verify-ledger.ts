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

export interface VerifyLedgerOptions {
  readonly config?: string;
  readonly data?: string;
  readonly json?: boolean;
}

const DEFAULT_STORE = './data/understudy.db';

export async function verifyLedger(shell: Shell, options: VerifyLedgerOptions): Promise<void> {
  const store = await storePath(shell, options);
  const dataDir = options.data ?? dirname(store);
  const bar = shell.progress;
  const report = await examine(shell, dataDir, basename(store), bar);
  bar?.('');
  shell.print(options.json === true ? JSON.stringify({ data: dataDir, ...report }, null, 2) : inWords(dataDir, report));
  if (report.violation_count > 0) throw new CommandFailure('', 1);
}

async function examine(
  shell: Shell,
  dataDir: string,
  logFile: string,
  bar: ((line: string) => void) | undefined,
): Promise<LedgerReport> {
  try {
    const onProgress = (done: number, total: number): void => bar?.(barOf(done, total));
    return await verify({ dataDir, logFile, env: shell.env, onProgress });
  } catch (error) {
    bar?.('');
    if (error instanceof LedgerUnreadable) {
      throw new CommandFailure(`${error.message}; name the folder with --data`, existsSync(dataDir) ? 1 : 2);
    }
    if (error instanceof SealKeyError) throw new CommandFailure(error.message);
    throw error;
  }
}

/** Where the gateway keeps its records: as `serve` finds it. */
async function storePath(shell: Shell, options: VerifyLedgerOptions): Promise<string> {
  const file = options.config ?? (options.data === undefined && existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : null);
  if (file === null) return DEFAULT_STORE;
  const result = await loadConfigFile(file, { env: shell.env });
  if (result.ok) return result.snapshot.storePath;
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
