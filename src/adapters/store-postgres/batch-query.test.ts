import { Client, type Submittable } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../test/support/servers/postgres.ts';
import { hasPostgres } from '../../../test/support/servers/postgres-binaries.ts';
import { BatchQuery, type BatchStep, ParsedNames, type StepAnswer, type Wire } from './batch-query.ts';
import { encodeParam, encodeRows, OID } from './scalars.ts';

/** A wire that writes down what is sent. */
class WireLog implements Wire {
  readonly sent: string[] = [];
  readonly stream = { cork: () => void this.sent.push('cork'), uncork: () => void this.sent.push('uncork') };
  parse({ name, text }: { readonly name: string; readonly text: string }): void {
    this.sent.push(`parse ${name} ${text}`);
  }
  bind({ statement, values }: { readonly statement: string; readonly values: readonly unknown[] }): void {
    this.sent.push(`bind ${statement} ${values.length}`);
  }
  describe(): void {
    this.sent.push('describe');
  }
  execute(): void {
    this.sent.push('execute');
  }
  sync(): void {
    this.sent.push('sync');
  }
  sendCopyFail(): void {
    this.sent.push('fail');
  }
}

const step = (sql: string, change: Partial<BatchStep> = {}): BatchStep => ({
  sql,
  types: [],
  values: [],
  isKept: true,
  isRead: false,
  ...change,
});

describe('a batch on the wire', () => {
  it('H-5: goes out in one piece with one Sync; a statement is parsed once per connection', () => {
    const names = new ParsedNames();
    const wire = new WireLog();
    const batch = () =>
      new BatchQuery(
        [step('A'), step('B'), step('A')],
        names,
        () => undefined,
        () => undefined,
      );
    batch().submit(wire);
    expect(wire.sent).toEqual([
      'cork',
      ...['parse us1 A', 'bind us1 0', 'execute', 'parse us2 B', 'bind us2 0', 'execute', 'bind us1 0', 'execute'],
      ...['sync', 'uncork'],
    ]);
    wire.sent.length = 0;
    batch().submit(wire);
    expect(wire.sent.filter((line) => line.startsWith('parse'))).toEqual([]);
  });

  it('H-5: after a fault what it parsed is parsed anew under another name, and no second Sync is sent', () => {
    const names = new ParsedNames();
    const wire = new WireLog();
    const told: unknown[] = [];
    const first = new BatchQuery(
      [step('A')],
      names,
      () => told.push('done'),
      (fault) => told.push(fault),
    );
    first.submit(wire);
    first.handleError({ code: '23505', message: 'no' });
    first.handleReadyForQuery();
    first.handleError({ message: 'again' });
    expect(told).toEqual([{ code: '23505', message: 'no' }]);
    expect(wire.sent.filter((line) => line === 'sync')).toHaveLength(1);
    new BatchQuery(
      [step('A')],
      names,
      () => undefined,
      () => undefined,
    ).submit(wire);
    expect(wire.sent).toContain('parse us2 A');
  });
});

describe.runIf(hasPostgres())('batches at a server', () => {
  let server: PostgresServer;
  let client: Client;
  let names: ParsedNames;
  beforeAll(async () => {
    server = await startPostgres();
    client = new Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    names = new ParsedNames();
    await client.query('CREATE TABLE t (id text PRIMARY KEY, n bigint, body bytea)');
  });
  afterAll(async () => {
    await client.end();
    await server.stop();
  });

  const run = (...steps: BatchStep[]): Promise<readonly StepAnswer[]> =>
    new Promise((resolve, reject) => {
      client.query(new BatchQuery(steps, names, resolve, reject) as unknown as Submittable);
    });
  const INSERT = `INSERT INTO t SELECT r ->> 0, (r ->> 1)::bigint, substring($2 FROM (r -> 2 ->> 0)::int + 1 FOR (r -> 2 ->> 1)::int)
    FROM json_array_elements($1) r`;
  const insert = (...rows: (string | number | Uint8Array)[][]): BatchStep => {
    const { json, bytes } = encodeRows(rows);
    return step(INSERT, { types: [OID.json, OID.bytea, OID.int8], values: [json, bytes, null] });
  };
  const read = (sql: string, ...values: (string | number)[]): BatchStep =>
    step(sql, { isRead: true, values: values.map(encodeParam) });

  it('H-5: all statements or none: the last one at fault leaves nothing', async () => {
    const two = insert(['a', 1, Buffer.from('x')], ['b', 2, Buffer.from('')]);
    await expect(run(two, insert(['a', 9, Buffer.from('')]))).rejects.toMatchObject({ code: '23505' });
    expect(await run(read('SELECT count(*) FROM t'))).toEqual([{ count: 1, rows: [[0]] }]);
    const [first, last] = await run(two, step('DELETE FROM t WHERE n > 5'));
    expect([first?.count, last?.count]).toEqual([2, 0]);
  });

  it('H-5: a statement that cannot be parsed is the fault of its batch alone', async () => {
    await expect(run(insert(['c', 3, Buffer.from('')]), step('NONSENSE'))).rejects.toMatchObject({ code: '42601' });
    expect((await run(read('SELECT count(*) FROM t WHERE id = $1', 'c')))[0]?.rows).toEqual([[0]]);
  });

  it('H-5: bytes, numbers, flags, null and text come back as they went', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
    await run(insert(['d', -7, bytes], ['e\u0000\ud800ü😀', 5, Buffer.from('\u00e4')]));
    const [answer] = await run(
      read("SELECT id, n, body, n < 0, NULL::text, n / 2.0 FROM t WHERE id > 'c' ORDER BY id"),
    );
    expect(answer?.rows).toEqual([
      ['d', -7, Buffer.from(bytes), 1, null, -3.5],
      ['e\ufffd\ufffdü😀', 5, Buffer.from('\u00e4'), 0, null, 2.5],
    ]);
  });

  it('H-5: text that only looks like what is refused is left alone', async () => {
    const text = JSON.stringify({ a: '\u0000\udfff' });
    await run(insert([text, 1, Buffer.from('')]));
    expect((await run(read('SELECT count(*) FROM t WHERE id = $1', text)))[0]?.rows).toEqual([[1]]);
  });

  it('H-5: a copy that a statement asks for fails at once and holds nobody', async () => {
    await expect(run(step('COPY t FROM STDIN'))).rejects.toMatchObject({ code: '57014' });
    expect(await run(step(''))).toEqual([{ count: 0, rows: [] }]);
  });

  it('H-5: a broken connection is told as one', async () => {
    const fault = run(read('SELECT pg_sleep(20)')).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await server.kill();
    expect(await fault).toMatchObject({ code: expect.stringMatching(/^(CONNECTION|ECONNRESET|57P0\d)$/) });
  });
});
