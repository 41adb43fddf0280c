/** `understudy migrate-store`: from a data folder into a shared store, and a look at both sides. */
import type { MigrationReport } from '../assemble/migrate-store.ts';
import { DataDirError, SealKeyError, StateDbUnusable, StateStoreUnavailable } from '../assemble.ts';
import { Progress } from './bar.ts';
import { CommandFailure, type Shell } from './shell.ts';
import { packageVersion } from './version.ts';

export interface MigrateStoreOptions {
  readonly from: string;
  readonly to: string;
  readonly check?: boolean;
  readonly json?: boolean;
}

/** Differences that are told one by one. */
const TOLD = 20;

export async function migrateStore(shell: Shell, options: MigrateStoreOptions): Promise<void> {
  const report = await migrated(shell, options);
  shell.print(options.json === true ? JSON.stringify(report, null, 2) : inWords(options, report));
  if (report.differences.length > 0) throw new CommandFailure('', 1);
}

async function migrated(
  shell: Shell,
  { from, to, check = false, json }: MigrateStoreOptions,
): Promise<MigrationReport> {
  // Loaded for this command alone: it brings the server's client library.
  const { MigrationRefused, migrateStore: migrate } = await import('../assemble/migrate-store.ts');
  const progress = new Progress(json === true ? { print: () => undefined } : shell);
  try {
    return await migrate({
      from,
      to,
      checkOnly: check,
      env: shell.env,
      version: packageVersion(),
      onProgress: (done, total, doing) => progress.tell(done, total, doing),
    });
  } catch (error) {
    progress.end();
    if (error instanceof StateStoreUnavailable)
      throw new CommandFailure(`${error.message}. Nothing is lost: the same command goes on where it was`);
    const known = [MigrationRefused, DataDirError, SealKeyError, StateDbUnusable].some((kind) => error instanceof kind);
    if (known) throw new CommandFailure((error as Error).message);
    throw error;
  } finally {
    progress.end();
  }
}

function inWords({ from }: MigrateStoreOptions, { to, copied, tables, ledger, differences }: MigrationReport): string {
  const rows = tables
    .filter(({ source }) => source.rows > 0)
    .map(({ table, source, same }) => line(table, source.rows, same));
  const head = `${from} → ${to}${copied ? '' : ' (moved before; compared)'}`;
  const keys = `${ledger.keys} keys, ${ledger.attempts} attempts, ${ledger.answers} stored answers opened there`;
  if (differences.length === 0)
    return [head, ...rows, keys, 'Both sides are the same.', ...whatNext(copied, to)].join('\n');
  const more = differences.length > TOLD ? [`  … and ${differences.length - TOLD} more`] : [];
  const count = `${differences.length} difference${differences.length === 1 ? '' : 's'}:`;
  return [head, ...rows, keys, count, ...differences.slice(0, TOLD).map((one) => `  ${one}`), ...more].join('\n');
}

function line(table: string, rows: number, same: boolean): string {
  return `  ${table.padEnd(22)}${String(rows).padStart(10)} rows${same ? '' : '  differs'}`;
}

function whatNext(copied: boolean, to: string): string[] {
  if (!copied) return [];
  return [
    `Now set \`store\` in the configuration to ${to.split(',')[0]} (with its password), and start.`,
    'The folder is as it was; keep it until you are sure.',
  ];
}
