/**
 * A schema of its own for each test file, on one server for the whole run: the first that asks starts it, and it ends
 * with the run, the process that has started this one.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startPostgres } from './postgres.ts';

export interface PostgresSchema {
  /** Of a store: `postgres://…?schema=NAME`. The schema does not exist yet. */
  readonly url: string;
  readonly name: string;
  /** Statements beside whoever is tested; the search path is the schema's. */
  query(sql: string, values?: readonly unknown[]): Promise<unknown[][]>;
  /** Drops it with everything in it. */
  drop(): Promise<void>;
}

/** A fresh schema on the run's server. */
export async function openSchema(): Promise<PostgresSchema> {
  return schemaOn(await serverOfRun());
}

/** A fresh schema on a server of the test's own. */
export async function schemaOn(serverUrl: string): Promise<PostgresSchema> {
  const name = `test_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  let client: Client | null = null;
  const connected = async (): Promise<Client> => {
    if (client !== null) return client;
    const made = new Client({ connectionString: serverUrl });
    // A server that a test kills takes this connection along; the next statement makes another.
    const forget = (): void => {
      if (client === made) client = null;
    };
    made.on('error', forget);
    made.on('end', forget);
    await made.connect();
    await made.query(`SET search_path = ${name}`);
    client = made;
    return made;
  };
  await connected();
  return {
    url: `${serverUrl}?schema=${name}`,
    name,
    async query(sql, values = []) {
      const found = await (await connected()).query({ text: sql, values: [...values], rowMode: 'array' });
      return found.rows;
    },
    async drop() {
      const last = await connected();
      await last.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
      await last.end();
    },
  };
}

const run = process.ppid;
const place = path.join(tmpdir(), `understudy-pg-of-${run}`);

async function serverOfRun(): Promise<string> {
  const told = path.join(place, 'url');
  if (isFirst()) {
    try {
      const { url } = await startPostgres({ owner: run });
      writeFileSync(`${told}.part`, url);
      renameSync(`${told}.part`, told);
      removeAfter(run);
    } catch (error) {
      rmSync(place, { recursive: true, force: true });
      throw error;
    }
  }
  for (let tries = 0; tries < 1200; tries += 1) {
    if (existsSync(told)) return readFileSync(told, 'utf8');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nobody has told of a server in ${told}`);
}

function isFirst(): boolean {
  try {
    mkdirSync(place);
    return true;
  } catch {
    return false;
  }
}

/** The next run with the same number finds nothing of this one. */
function removeAfter(owner: number): void {
  const script = `while kill -0 ${owner} 2>/dev/null; do sleep 0.5; done; rm -rf "$0"`;
  spawn('sh', ['-c', script, place], { detached: true, stdio: 'ignore', cwd: '/' }).unref();
}
