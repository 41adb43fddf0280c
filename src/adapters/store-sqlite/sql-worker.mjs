// @ts-check
/**
 * The SQL thread. Plain JavaScript because Node 20 starts no thread from TypeScript; type-checked through JSDoc.
 * It runs the statements it is sent on one connection and answers each order exactly once. Nothing that goes wrong with
 * the file ends the thread: the fault is answered, and the next order opens the file again.
 */
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'libsql';

/** @import { SqlOrder, SqlReply, SqlRequest, SqlResult, SqlScalar, SqlStep, SqlThreadSettings } from './sql-protocol.ts' */
/** @typedef {InstanceType<typeof Database>} Connection */
/** @typedef {ReturnType<Connection['prepare']>} Statement */

/** @type {SqlThreadSettings} */
const settings = workerData;
const port = parentPort;
if (port === null) throw new Error('sql-worker runs as a worker thread only');

/** @type {Connection | null} */
let connection = null;
let identity = '';
let opened = 0;
/** @type {Map<string, Statement>} */
const prepared = new Map();

class Fault extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Device and inode: another file of the same name must not go unnoticed, or records vanish with the deleted one. */
function fileIdentity() {
  if (!existsSync(settings.path)) return '';
  const { dev, ino } = statSync(settings.path);
  return `${dev}:${ino}`;
}

function disconnect() {
  const old = connection;
  connection = null;
  prepared.clear();
  old?.close();
}

/** @param {Connection} db */
function migrate(db) {
  const row = db.prepare('PRAGMA user_version').raw().all()[0];
  const version = Number(/** @type {SqlScalar[]} */ (row)[0]);
  const { migrations } = settings;
  if (version > migrations.length) {
    throw new Fault(
      'SCHEMA_TOO_NEW',
      `it was written by a newer version (schema ${version}, this one knows ${migrations.length})`,
    );
  }
  for (let at = version; at < migrations.length; at += 1) {
    inTransaction(db, () => {
      db.exec(migrations[at] ?? '');
      db.exec(`PRAGMA user_version = ${at + 1}`);
    });
  }
}

/** @returns {Connection} */
function connect() {
  if (connection !== null && fileIdentity() === identity) return connection;
  // It stays connected to nothing else, or what was written before would be missing without a word.
  if (settings.mode === 'keeper' && identity !== '' && fileIdentity() !== identity) {
    disconnect();
    throw new Fault('FILE_GONE', 'it was deleted or replaced while the gateway ran; put it back, or restart');
  }
  disconnect();
  if (settings.mode !== 'writer' && !existsSync(settings.path)) throw new Fault('SQLITE_CANTOPEN', 'no such file');
  // Created here, not by SQLite, so that its log and index files inherit a mode only the owner can read.
  if (settings.mode === 'writer') closeSync(openSync(settings.path, 'a', 0o600));
  const db = new Database(settings.path);
  try {
    for (const sql of settings.setup) db.exec(sql);
    if (settings.mode !== 'reader') migrate(db);
  } catch (error) {
    db.close();
    throw error;
  }
  connection = db;
  identity = fileIdentity();
  opened += 1;
  return db;
}

/** @param {Connection} db @param {() => void} work */
function inTransaction(db, work) {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    // A full disk makes SQLite roll back by itself; a second ROLLBACK would hide the first error.
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** @param {Connection} db @param {string} sql @returns {Statement} */
function statement(db, sql) {
  const known = prepared.get(sql);
  if (known !== undefined) return known;
  const made = db.prepare(sql);
  prepared.set(sql, made);
  return made;
}

/** The rows of a step, taken apart again where they came as one text. @param {SqlStep} step */
function rowsOf(step) {
  if (!('text' in step)) return step.rows;
  if (step.rows === 0) return [];
  return step.text
    .split('\u001e')
    .map((row) => row.split('\u001f').map((field) => (field === '\u001d' ? null : field)));
}

/** @param {readonly SqlStep[]} steps */
function write(steps) {
  const db = connect();
  let changes = 0;
  inTransaction(db, () => {
    for (const step of steps) {
      const run = statement(db, step.sql);
      let changed = 0;
      for (const row of rowsOf(step)) changed += run.run(row).changes;
      if ('expect' in step && step.expect !== undefined && changed !== step.expect) {
        throw new Fault('UNMET', `${changed} rows changed, ${step.expect} expected`);
      }
      changes += changed;
    }
  });
  return changes;
}

/** @param {SqlOrder} order @returns {SqlResult} */
function carryOut(order) {
  let changes = 0;
  /** @type {SqlScalar[][]} */
  let rows = [];
  if (order.op === 'open') connect();
  else if (order.op === 'write') changes = write(order.steps);
  else if (order.op === 'exec') connect().exec(order.sql);
  else if (order.op === 'read')
    rows = /** @type {SqlScalar[][]} */ (connect().prepare(order.sql).raw().all(order.params));
  else disconnect();
  return { changes, rows, opened };
}

/** @param {SqlRequest} request @returns {SqlReply} */
function answer(request) {
  try {
    return { id: request.id, ok: true, result: carryOut(request) };
  } catch (error) {
    const code = /** @type {{ code?: unknown }} */ (error).code;
    // After these the connection may be useless even when the disk is well again.
    if (typeof code === 'string' && /IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|NOMEM/.test(code)) tryToDisconnect();
    const message = error instanceof Error ? error.message : String(error);
    return { id: request.id, ok: false, fault: { code: typeof code === 'string' ? code : 'INTERNAL', message } };
  }
}

function tryToDisconnect() {
  try {
    disconnect();
  } catch {
    // The connection is given up in any case.
  }
}

port.on('message', (/** @type {SqlRequest} */ request) => {
  port.postMessage(answer(request));
  if (request.op === 'close') port.close();
});
