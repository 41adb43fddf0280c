/** A whole schema as text that makes it anew, under any name. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { findBinaries } from '../../support/servers/postgres-binaries.ts';
import type { PostgresSchema } from '../../support/servers/postgres-schema.ts';

/** The name in the text; no other word may hold it. */
const PLACE = 'sample_schema';

export function dumpSchema({ url, name }: PostgresSchema): string {
  const server = new URL(url);
  server.search = '';
  const options = ['--schema', name, '--inserts', '--no-owner', '--no-privileges', '--no-comments', server.href];
  const { status, stdout, stderr } = spawnSync(path.join(findBinaries() ?? '', 'pg_dump'), options, {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`pg_dump: ${stderr}`);
  const lines = stdout
    .split('\n')
    .filter((line) => line !== '' && !/^(--|\\|SET |SELECT pg_catalog\.set_config)/.test(line));
  return `${lines.join('\n').replaceAll(name, PLACE)}\n`;
}

export async function restoreSchema(schema: PostgresSchema, dump: string): Promise<void> {
  await schema.query(dump.replaceAll(PLACE, schema.name));
}
