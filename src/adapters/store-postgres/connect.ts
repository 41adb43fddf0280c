/** A fresh connection with our settings, or a fault, before an order that needs it is given up. */
import pg, { type Client } from 'pg';
import type { Clock } from '../../ports/clock.ts';
import { SqlError } from '../store-sql/fault.ts';
import type { Address } from './address.ts';
import { LOST } from './server-fault.ts';

/** Six round trips with a password, which a slow network may make half a second long. */
const CONNECT_MS = 3500;

/** What holds for every connection of ours. A statement ends before we give it up. */
const SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: '4s',
  lock_timeout: '2s',
  idle_in_transaction_session_timeout: '10s',
  synchronous_commit: 'on',
  client_min_messages: 'warning',
  timezone: 'UTC',
  // Compiling a statement takes longer than any of ours runs.
  jit: 'off',
};

/** Rejects with what the library or the server says, or with `SqlError` `DEADLINE`. */
export async function connect(
  { config, schema }: Address,
  name: string,
  clock: Clock,
  settings: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const client = new pg.Client({ ...config, application_name: name, keepAlive: true });
  // Without a listener the library's word of a broken connection would end the process.
  client.on('error', () => undefined);
  let isLate = false;
  const cancel = clock.after(CONNECT_MS, () => {
    isLate = true;
    client.connection.stream.destroy();
  });
  try {
    await client.connect();
    await client.query(settingsText({ search_path: schema, ...SETTINGS, ...settings }));
    return client;
  } catch (error) {
    client.connection.stream.destroy();
    if (!isLate) throw error;
    throw new SqlError({ code: LOST.deadline, message: `no connection within ${CONNECT_MS} ms` });
  } finally {
    cancel();
  }
}

function settingsText(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join(';');
}
