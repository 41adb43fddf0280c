/** Queued requests in `state.db` (E-4). Each call is one transaction of its own. */
import type { Holder } from '../../ports/holder.ts';
import type {
  BegunJob,
  DueJobs,
  JobOrder,
  JobResult,
  JobRoom,
  JobState,
  JobStore,
  NewJob,
  StoredJob,
} from '../../ports/job-store.ts';
import { isUnmet } from '../store-sql/fault.ts';
import { faultPoint } from '../store-sql/fault-point.ts';
import { openParcel, type Parcel, type ParcelSealer, sealParcel } from '../store-sql/sealed-parcel.ts';
import type { StateDb } from '../store-sql/state-db.ts';
import type { SqlScalar, SqlStep } from './sql-protocol.ts';

export interface JobStoreOptions {
  readonly db: Pick<StateDb, 'read' | 'write'>;
  readonly sealer: ParcelSealer;
  readonly holder: Pick<Holder, 'id'>;
}

const COLUMNS = `id, workspace, key, request_id, ref, state, tries, max_tries, strict, cost_left, at, due_at, finished_at,
  expires_at, sealed`;
const FIND = `SELECT ${COLUMNS} FROM jobs WHERE id = ?`;
const FIND_BY_REF = `SELECT ${COLUMNS} FROM jobs WHERE ref = ?`;
const OPEN = `SELECT ${COLUMNS} FROM jobs WHERE finished_at IS NULL ORDER BY due_at, ix`;
const ADD = `INSERT INTO jobs (id, workspace, key, request_id, ref, state, tries, max_tries, strict, cost_left, at, due_at,
    expires_at, size, seal_key, sealed, holder, ready)
  SELECT ?, ?, ?, ?, ?, 'waiting', 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0
  WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE ref = ?)
    AND (SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL) < ?
    AND (SELECT COUNT(*) FROM jobs WHERE finished_at IS NULL AND workspace = ? AND key = ?) < ?
    AND (SELECT COALESCE(SUM(size), 0) FROM jobs) + ? <= ?
    AND (SELECT COALESCE(SUM(size), 0) FROM jobs WHERE workspace = ? AND key = ?) + ? <= ?`;
const LET_GO = `UPDATE jobs SET ref = NULL WHERE ref = ? AND state = 'failed'`;
const RELEASE = 'UPDATE jobs SET ready = 1 WHERE id = ?';
// Whoever else holds a job is gone: this process has the file alone.
/** Parameters: the holder that asks, wall ms, at most so many. */
const DUE = `SELECT ${COLUMNS} FROM jobs
  WHERE finished_at IS NULL AND state = 'waiting' AND (ready = 1 OR holder IS NOT ?1) AND due_at <= ?2
  ORDER BY due_at, ix LIMIT ?3`;
/** Parameters: the holder that asks, at most so many. */
const ORPHANS = `SELECT ${COLUMNS} FROM jobs
  WHERE finished_at IS NULL AND state = 'running' AND holder IS NOT ?1 ORDER BY due_at, ix LIMIT ?2`;
/** Parameters: the holder that asks, wall ms. */
const NEXT_DUE = `SELECT MIN(due_at) FROM jobs
  WHERE finished_at IS NULL AND state = 'waiting' AND (ready = 1 OR holder IS NOT ?1) AND due_at > ?2`;
/** Parameters: the job, wall ms, the holder that takes it. */
const BEGIN = `UPDATE jobs SET state = 'running', tries = tries + (state = 'waiting'), holder = ?3, ready = 1
  WHERE id = ?1 AND finished_at IS NULL AND expires_at > ?2 AND (ready = 1 OR holder IS NOT ?3)`;
const AGAIN = `UPDATE jobs SET state = 'waiting', due_at = ?, cost_left = ?, tries = tries - ?
  WHERE id = ? AND state = 'running'`;
const FINISH = `UPDATE jobs SET state = ?, finished_at = ?, size = ?, seal_key = ?, sealed = ?
  WHERE id = ? AND finished_at IS NULL`;
const OTHERS = 'SELECT COALESCE(SUM(size), 0) FROM jobs WHERE id <> ?';
const OTHERS_OF_KEY = `SELECT COALESCE(SUM(size), 0) FROM jobs
  WHERE id <> ? AND (workspace, key) = (SELECT workspace, key FROM jobs WHERE id = ?)`;
const FINISH_IN_ROOM = `${FINISH} AND (${OTHERS}) + ? <= ? AND (${OTHERS_OF_KEY}) + ? <= ?`;
const REMOVE = 'DELETE FROM jobs WHERE id = ?';
const EXPIRE = 'DELETE FROM jobs WHERE expires_at <= ?';
const SEAL_KEYS = 'SELECT DISTINCT seal_key FROM jobs';

export class SqliteJobStore implements JobStore {
  readonly #db: JobStoreOptions['db'];
  readonly #sealer: ParcelSealer;

  readonly #holder: Pick<Holder, 'id'>;

  constructor({ db, sealer, holder }: JobStoreOptions) {
    this.#db = db;
    this.#sealer = sealer;
    this.#holder = holder;
  }

  async add(job: NewJob, room: JobRoom): Promise<'added' | 'full' | 'known'> {
    const { body, ...head } = job.order;
    const { sealKey, sealed } = sealParcel(this.#sealer, orderContext(job.id), { head, body });
    const owner = ownerOf(job);
    const row: SqlScalar[] = [
      job.id,
      job.workspace,
      owner,
      job.requestId,
      job.ref,
      job.maxTries,
      job.strict ? 1 : 0,
      job.costLeft === null ? null : String(job.costLeft),
      job.at,
      job.dueAt,
      job.expiresAt,
      sealed.length,
      sealKey,
      sealed,
      this.#holder.id,
      job.ref,
      room.open,
      job.workspace,
      owner,
      room.openOfKey,
      sealed.length,
      room.bytes,
      job.workspace,
      owner,
      sealed.length,
      room.bytesOfKey,
    ];
    try {
      // A key whose job has failed may have another one.
      await this.#write('job-add', [
        { sql: LET_GO, rows: job.ref === null ? [] : [[job.ref]] },
        { sql: ADD, rows: [row], expect: 1 },
      ]);
      return 'added';
    } catch (error) {
      if (!isUnmet(error)) throw error;
      return job.ref !== null && (await this.findByRef(job.ref)) !== null ? 'known' : 'full';
    }
  }

  async release(id: string): Promise<void> {
    await this.#write('job-release', [{ sql: RELEASE, rows: [[id]] }]);
  }

  async due(wall: number, limit: number): Promise<DueJobs> {
    const { id } = this.#holder;
    const [due, orphans, next] = await Promise.all([
      this.#db.read(DUE, [id, wall, limit]),
      this.#db.read(ORPHANS, [id, limit]),
      this.#db.read(NEXT_DUE, [id, wall]),
    ]);
    const nextDueAt = next[0]?.[0];
    return {
      due: due.map((row) => toJob(row, null)),
      orphans: orphans.map((row) => toJob(row, null)),
      nextDueAt: nextDueAt == null ? null : Number(nextDueAt),
    };
  }

  async begin(id: string, wall: number): Promise<BegunJob | null> {
    if (!(await this.#writeOne('job-begin', BEGIN, [id, wall, this.#holder.id]))) return null;
    const [row] = await this.#db.read(FIND, [id]);
    if (row === undefined) return null;
    const parcel = openParcel(this.#sealer, orderContext(id), row.at(-1));
    const order = parcel === null ? null : { ...(parcel.head as Omit<JobOrder, 'body'>), body: parcel.body };
    return { job: toJob(row, null), order };
  }

  async again(id: string, next: Parameters<JobStore['again']>[1]): Promise<'waits' | 'lost'> {
    const costLeft = next.costLeft === null ? null : String(next.costLeft);
    if (await this.#writeOne('job-again', AGAIN, [next.dueAt, costLeft, next.counted ? 0 : 1, id])) return 'waits';
    const job = await this.find(id);
    // Written before without a word of it.
    return job?.state === 'waiting' && job.dueAt === next.dueAt ? 'waits' : 'lost';
  }

  async remove(id: string): Promise<void> {
    await this.#db.write([{ sql: REMOVE, rows: [[id]] }]);
  }

  async finish(
    id: string,
    { state, result, wall }: Parameters<JobStore['finish']>[1],
    room: JobRoom | null,
  ): Promise<'finished' | 'full' | 'lost'> {
    const { body, ...head } = result;
    const { sealKey, sealed } = sealParcel(this.#sealer, resultContext(id), { head, body });
    const size = sealed.length;
    const row: SqlScalar[] = [state, wall, size, sealKey, sealed, id];
    if (room !== null) row.push(id, size, room.bytes, id, id, size, room.bytesOfKey);
    if (await this.#writeOne('job-finish', room === null ? FINISH : FINISH_IN_ROOM, row)) return 'finished';
    const job = await this.find(id);
    if (job === null) return 'lost';
    if (job.finishedAt === null) return room === null ? 'lost' : 'full';
    // Written before without a word of it.
    return job.state === state && job.result?.requestId === result.requestId ? 'finished' : 'lost';
  }

  async find(id: string): Promise<StoredJob | null> {
    return this.#whole((await this.#db.read(FIND, [id]))[0]);
  }

  async findByRef(ref: string): Promise<StoredJob | null> {
    return this.#whole((await this.#db.read(FIND_BY_REF, [ref]))[0]);
  }

  async open(): Promise<readonly StoredJob[]> {
    return (await this.#db.read(OPEN, [])).map((row) => toJob(row, null));
  }

  async expire(wall: number): Promise<number> {
    return (await this.#db.write([{ sql: EXPIRE, rows: [[wall]] }])).changes;
  }

  async sealKeys(): Promise<readonly string[]> {
    return (await this.#db.read(SEAL_KEYS, [])).map(([id]) => String(id));
  }

  /** `name`: of the durable step, for crash tests. */
  async #write(name: string, steps: readonly SqlStep[]): Promise<void> {
    faultPoint('before', [{ name }]);
    await this.#db.write(steps);
    faultPoint('after', [{ name }]);
  }

  /** False = there is none that it may be done to. */
  async #writeOne(name: string, sql: string, row: readonly SqlScalar[]): Promise<boolean> {
    try {
      await this.#write(name, [{ sql, rows: [row], expect: 1 }]);
      return true;
    } catch (error) {
      if (isUnmet(error)) return false;
      throw error;
    }
  }

  #whole(row: readonly SqlScalar[] | undefined): StoredJob | null {
    if (row === undefined) return null;
    const job = toJob(row, null);
    if (job.finishedAt === null) return job;
    return { ...job, result: toResult(openParcel(this.#sealer, resultContext(job.id), row.at(-1))) };
  }
}

function toResult(parcel: Parcel | null): JobResult | null {
  return parcel === null ? null : { ...(parcel.head as Omit<JobResult, 'body'>), body: parcel.body };
}

/** Whose it is, in one column. */
function ownerOf({ key, keyHash }: Pick<NewJob, 'key' | 'keyHash'>): string {
  return `${key}#${keyHash.slice(0, 16)}`;
}

function toJob(row: readonly SqlScalar[], result: JobResult | null): StoredJob {
  const [
    id,
    workspace,
    key,
    requestId,
    ref,
    state,
    tries,
    maxTries,
    strict,
    costLeft,
    at,
    dueAt,
    finishedAt,
    expiresAt,
  ] = row;
  const owner = String(key);
  const hash = owner.lastIndexOf('#');
  return {
    id: String(id),
    workspace: String(workspace),
    key: owner.slice(0, hash),
    keyHash: owner.slice(hash + 1),
    requestId: String(requestId),
    ref: ref == null ? null : String(ref),
    state: String(state) as JobState,
    tries: Number(tries),
    maxTries: Number(maxTries),
    strict: strict === 1,
    costLeft: costLeft == null ? null : BigInt(String(costLeft)),
    at: Number(at),
    dueAt: Number(dueAt),
    finishedAt: finishedAt == null ? null : Number(finishedAt),
    expiresAt: Number(expiresAt),
    result,
  };
}

/** Bound into the seals: neither opens as the other, nor for another job. */
function orderContext(id: string): string {
  return `job ${id} order`;
}

function resultContext(id: string): string {
  return `job ${id} result`;
}
