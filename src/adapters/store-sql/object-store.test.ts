import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryObjects } from '../../../test/support/memory-objects.ts';
import { REAL_CLOCK } from '../../../test/support/real-clock.ts';
import {
  type ObjectChange,
  ObjectConflict,
  type ObjectStore,
  StateStoreUnavailable,
} from '../../ports/object-store.ts';
import { AUDIT_SQL } from '../store-sqlite/audit-sql.ts';
import { OBJECTS_SQL } from '../store-sqlite/objects-sql.ts';
import { openStateDb } from '../store-sqlite/open-state-db.ts';
import { SqlObjectStore } from './object-store.ts';
import type { StateDb } from './state-db.ts';

let folder: string;
let db: StateDb;
let store: ObjectStore;

async function open(maxBytes?: number): Promise<void> {
  const bound = maxBytes === undefined ? {} : { maxBytes };
  db = await openStateDb({ path: path.join(folder, 'state.db'), clock: REAL_CLOCK, ...bound });
  store = new SqlObjectStore({ db, sql: OBJECTS_SQL, auditSql: AUDIT_SQL });
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'understudy-objects-'));
  await open();
});
afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

function change(name: string, expectedVersion: number, body: ObjectChange['body'] = { n: expectedVersion }) {
  return { kind: 'key', name, body, expectedVersion, by: 'admin' };
}

const versions = async () => (await store.load()).map(({ name, version }) => [name, version]);

// The one that stands in for it in other tests keeps the same promises.
describe.each([
  ['SQLite', () => store],
  ['memory', () => new MemoryObjects()],
] as const)('an object store (%s)', (_, make) => {
  beforeEach(() => {
    store = make();
  });

  it('G-9: a change counts the version up and keeps its place and its birth', async () => {
    await store.change([change('b', 0), change('a', 0)], 7);
    const [changed] = await store.change([{ ...change('b', 1, { n: 2 }), by: 'mia' }], 9);
    expect(changed).toEqual({
      kind: 'key',
      name: 'b',
      body: { n: 2 },
      version: 2,
      createdAt: 7,
      updatedAt: 9,
      updatedBy: 'mia',
    });
    expect((await store.load())[0]).toEqual(changed);
  });

  it('G-9: the same name of another kind is another object', async () => {
    await store.change([change('a', 0), { ...change('a', 0), kind: 'credential' }], 7);
    await store.change([change('a', 1, null)], 8);
    expect((await store.load()).map(({ kind }) => kind)).toEqual(['credential']);
  });

  it.each([
    ['creating what exists', change('a', 0)],
    ['changing an older version', change('a', 1)],
    ['changing a version to come', change('a', 3)],
    ['changing what does not exist', change('x', 1)],
    ['removing an older version', change('a', 1, null)],
    ['removing what does not exist', change('x', 1, null)],
  ])('H-5: %s is a conflict, and nothing of the same order is written', async (_, wrong) => {
    await store.change([change('a', 0)], 7);
    await store.change([change('a', 1)], 8);
    await expect(store.change([change('b', 0), wrong], 9)).rejects.toBeInstanceOf(ObjectConflict);
    expect(await versions()).toEqual([['a', 2]]);
  });

  it('H-5: of changes made from the same version at the same time exactly one is taken', async () => {
    await store.change([change('a', 0)], 7);
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => store.change([change('a', 1, { n })], 8)),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = all.filter((one) => one.status === 'rejected').map((one) => one.reason as unknown);
    expect(refused.every((reason) => reason instanceof ObjectConflict)).toBe(true);
    expect(await versions()).toEqual([['a', 2]]);
  });
});

describe('objects on SQLite', () => {
  it('G-9: come back as they were made, in the order they were made, after a restart too', async () => {
    const [made] = await store.change(
      [change('b', 0, { workspace: 'acme', limits: { rpm: 5 }, text: 'ü "\u0000' })],
      7,
    );
    await store.change([change('a', 0)], 8);
    expect(made).toEqual({
      kind: 'key',
      name: 'b',
      body: { workspace: 'acme', limits: { rpm: 5 }, text: 'ü "\u0000' },
      version: 1,
      createdAt: 7,
      updatedAt: 7,
      updatedBy: 'admin',
    });
    await db.close();
    await open();
    const loaded = await store.load();
    expect(loaded[0]).toEqual(made);
    expect(loaded.map(({ name }) => name)).toEqual(['b', 'a']);
  });

  it('G-7: audit entries are durable with the change they tell of, or not at all', async () => {
    const entry = {
      at: 7,
      actor: 'mia',
      action: 'key.create',
      object: 'key a',
      workspace: 'acme',
      requestId: 'req_1',
      before: null,
      after: { n: 0 },
      ip: null,
    };
    const entries = () => db.read('SELECT actor, action, object, after FROM audit', []);
    await store.change([change('a', 0)], 7, [entry]);
    expect(await entries()).toEqual([['mia', 'key.create', 'key a', '{"n":0}']]);
    await expect(store.change([change('a', 5)], 8, [entry])).rejects.toBeInstanceOf(ObjectConflict);
    const broken = { ...entry, actor: null as unknown as string };
    await expect(store.change([change('a', 1)], 8, [broken])).rejects.toThrow();
    expect(await entries()).toHaveLength(1);
    expect(await versions()).toEqual([['a', 1]]);
  });

  it('H-5: a full disk refuses the change and keeps what was there', async () => {
    await store.change([change('a', 0)], 7);
    await db.close();
    await open(90_000);
    await expect(store.change([change('big', 0, { text: 'x'.repeat(200_000) })], 8)).rejects.toBeInstanceOf(
      StateStoreUnavailable,
    );
    expect(await versions()).toEqual([['a', 1]]);
  });

  it('H-5: a body that somebody broke by hand is named', async () => {
    await store.change([change('a', 0)], 7);
    await db.write([{ sql: "UPDATE objects SET body = '{'", rows: [[]] }]);
    await expect(store.load()).rejects.toThrow(/damaged: the body of key a/);
  });
});
