/** Where the database is: `store: postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…&schema=…`. */
import type { ClientConfig } from 'pg';

export interface Address {
  /** For the client library: all but the schema. Holds the password. */
  readonly config: ClientConfig;
  /** The schema that holds all our tables. */
  readonly schema: string;
  /** For people: no password. */
  readonly shown: string;
}

const DEFAULT_SCHEMA = 'understudy';

/** Throws `TypeError` in words for what is no such address. */
export function readAddress(text: string): Address {
  const url = parsed(text);
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA;
  if (!/^[a-z_][a-z0-9_]{0,48}$/.test(schema) || schema.startsWith('pg_')) {
    throw new TypeError(
      '`schema` of the store: lower-case letters, digits and `_`, at most 49, not beginning with `pg_`',
    );
  }
  url.searchParams.delete('schema');
  // `sslmode` means what it means to every other client: the library's own reading of `require` would verify.
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true');
  const connectionString = url.href;
  url.password = '';
  url.search = '';
  return { config: { connectionString }, schema, shown: `${url.href}, schema ${schema}` };
}

function parsed(text: string): URL {
  try {
    const url = new URL(text);
    if (/^postgres(ql)?:$/.test(url.protocol)) return url;
  } catch {
    // Told below, without the text: it may hold a password.
  }
  throw new TypeError('the store is no address: postgres://USER:PASSWORD@HOST:PORT/DATABASE');
}
