import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../test/support/servers/postgres.ts';
import { hasPostgres, serverUser } from '../../../test/support/servers/postgres-binaries.ts';
import { systemClock } from '../system-clock.ts';
import { readAddress } from './address.ts';
import { connect } from './connect.ts';

describe('the address of a store', () => {
  it('E-5: is shown without its password, and without what stands behind the database', () => {
    const { shown, schema } = readAddress('postgresql://u:s3cret@db.example:5433/main?sslmode=require&schema=team_a');
    expect(shown).toBe('postgresql://u@db.example:5433/main, schema team_a');
    expect(schema).toBe('team_a');
    expect(readAddress('postgres://u@h/d').schema).toBe('understudy');
  });

  it.each([
    'mysql://u:s3cret@h/d',
    'postgres',
    '',
    'postgres://u:s3cret@h/d?schema=Team',
    'postgres://u:s3cret@h/d?schema=pg_x',
  ])('E-5: %s is refused, and the words hold no password', (text) => {
    expect(() => readAddress(text)).toThrow(/address|schema/);
    expect(() => readAddress(text)).not.toThrow(/s3cret/);
  });
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.runIf(hasPostgres() && hasOpenssl)('a server with a certificate that it made itself', () => {
  let server: PostgresServer;
  let certificate: string;
  beforeAll(async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'understudy-pg-tls-'));
    certificate = path.join(folder, 'server.crt');
    const key = path.join(folder, 'server.key');
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-out',
      certificate,
      '-keyout',
      key,
      ...subject,
    ]);
    if (made.status !== 0) throw new Error(String(made.stderr));
    const user = serverUser();
    for (const file of [certificate, key]) {
      chmodSync(file, file === key ? 0o600 : 0o644);
      if (user !== null) chownSync(file, user.uid, user.gid);
    }
    chmodSync(folder, 0o755);
    server = await startPostgres({ folder, settings: { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key } });
  });
  afterAll(() => server.stop());

  async function isEncrypted(query: string): Promise<boolean> {
    const client = await connect(readAddress(`${server.url}?${query}`), 'understudy/tls', systemClock);
    try {
      const found = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      return found.rows[0]?.ssl === true;
    } finally {
      await client.end();
    }
  }

  it('G-9: sslmode means what it means to every client', async () => {
    expect(await isEncrypted('sslmode=disable')).toBe(false);
    expect(await isEncrypted('sslmode=require')).toBe(true);
    await expect(isEncrypted('sslmode=verify-full')).rejects.toThrow(/self.signed/);
    expect(await isEncrypted(`sslmode=verify-full&sslrootcert=${certificate}`)).toBe(true);
  });
});
