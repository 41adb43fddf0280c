/** Queued requests (E-4). Each call is one transaction of its own. */
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
import { isUnmet } from './fault.ts';
import { faultPoint } from './fault-point.ts';
import { openParcel, type Parcel, type ParcelSealer, sealParcel } from './sealed-parcel.ts';
import type { SqlRow, SqlScalar, SqlStep } from './sql-step.ts';
import type { StateDb } from './state-db.ts';
import type { JobsSql } from './statements.ts';

export interface JobStoreOptions {
  readonly db: Pick<StateDb, 'read' | 'write'>;
  readonly sql: JobsSql;
  readonly sealer: ParcelSealer;
  readonly holder: Pick<Holder, 'id'>;
}

export class SqlJobStore implements JobStore {
  readonly #db: JobStoreOptions['db'];
  readonly #sql: JobsSql;
  readonly #sealer: ParcelSealer;

  readonly #holder: Pick<Holder, 'id'>;

  constructor({ db, sql, sealer, holder }: JobStoreOptions) {
    this.#db = db;
    this.#sql = sql;
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
      room.open,
      room.openOfKey,
      room.bytes,
      room.bytesOfKey,
    ];
    try {
      // A key whose job has failed may have another one.
      await this.#write('job-add', [
        { sql: this.#sql.letGo, rows: job.ref === null ? [] : [[job.ref]] },
        { sql: this.#sql.add, rows: [row], expect: 1 },
      ]);
      return 'added';
    } catch (error) {
      if (!isUnmet(error)) throw error;
      return job.ref !== null && (await this.findByRef(job.ref)) !== null ? 'known' : 'full';
    }
  }

  async release(id: string): Promise<void> {
    await this.#write('job-release', [{ sql: this.#sql.release, rows: [[id]] }]);
  }

  async due(wall: number, limit: number): Promise<DueJobs> {
    const { id } = this.#holder;
    const [due, orphans, next] = await Promise.all([
      this.#db.read(this.#sql.due, [id, wall, limit]),
      this.#db.read(this.#sql.orphans, [id, wall, limit]),
      this.#db.read(this.#sql.nextDue, [id, wall]),
    ]);
    const nextDueAt = next[0]?.[0];
    return {
      due: due.map((row) => toJob(row, null)),
      orphans: orphans.map((row) => toJob(row, null)),
      nextDueAt: nextDueAt == null ? null : Number(nextDueAt),
    };
  }

  async begin(id: string, wall: number): Promise<BegunJob | null> {
    if (!(await this.#writeOne('job-begin', this.#sql.begin, [id, wall, this.#holder.id]))) return null;
    const [row] = await this.#db.read(this.#sql.find, [id]);
    if (row === undefined) return null;
    const parcel = openParcel(this.#sealer, orderContext(id), row.at(-1));
    const order = parcel === null ? null : { ...(parcel.head as Omit<JobOrder, 'body'>), body: parcel.body };
    return { job: toJob(row, null), order };
  }

  async again(id: string, next: Parameters<JobStore['again']>[1]): Promise<'waits' | 'lost'> {
    const costLeft = next.costLeft === null ? null : String(next.costLeft);
    if (
      await this.#writeOne('job-again', this.#sql.again, [
        id,
        next.dueAt,
        costLeft,
        next.counted ? 0 : 1,
        this.#holder.id,
      ])
    )
      return 'waits';
    const job = await this.find(id);
    // Written before without a word of it.
    return job?.state === 'waiting' && job.dueAt === next.dueAt ? 'waits' : 'lost';
  }

  async remove(id: string): Promise<void> {
    await this.#db.write([{ sql: this.#sql.remove, rows: [[id]] }]);
  }

  async finish(
    id: string,
    { state, result, wall }: Parameters<JobStore['finish']>[1],
    room: JobRoom | null,
  ): Promise<'finished' | 'full' | 'lost'> {
    const { body, ...head } = result;
    const { sealKey, sealed } = sealParcel(this.#sealer, resultContext(id), { head, body });
    const size = sealed.length;
    const row: SqlScalar[] = [id, state, wall, size, sealKey, sealed, this.#holder.id];
    if (room !== null) row.push(room.bytes, room.bytesOfKey);
    if (await this.#writeOne('job-finish', room === null ? this.#sql.finish : this.#sql.finishInRoom, row))
      return 'finished';
    const job = await this.find(id);
    if (job === null) return 'lost';
    if (job.finishedAt === null) return room === null ? 'lost' : 'full';
    // Written before without a word of it.
    return job.state === state && job.result?.requestId === result.requestId ? 'finished' : 'lost';
  }

  async find(id: string): Promise<StoredJob | null> {
    return this.#whole((await this.#db.read(this.#sql.find, [id]))[0]);
  }

  async findByRef(ref: string): Promise<StoredJob | null> {
    return this.#whole((await this.#db.read(this.#sql.findByRef, [ref]))[0]);
  }

  async open(): Promise<readonly StoredJob[]> {
    return (await this.#db.read(this.#sql.open, [])).map((row) => toJob(row, null));
  }

  async expire(wall: number): Promise<number> {
    return (await this.#db.write([{ sql: this.#sql.expire, rows: [[wall]] }])).changes;
  }

  async sealKeys(): Promise<readonly string[]> {
    return (await this.#db.read(this.#sql.sealKeys, [])).map(([id]) => String(id));
  }

  /** `name`: of the durable step, for crash tests. */
  async #write(name: string, steps: readonly SqlStep[]): Promise<void> {
    faultPoint('before', [{ name }]);
    await this.#db.write(steps);
    faultPoint('after', [{ name }]);
  }

  /** False = there is none that it may be done to. */
  async #writeOne(name: string, sql: string, row: SqlRow): Promise<boolean> {
    try {
      await this.#write(name, [{ sql, rows: [row], expect: 1 }]);
      return true;
    } catch (error) {
      if (isUnmet(error)) return false;
      throw error;
    }
  }

  #whole(row: SqlRow | undefined): StoredJob | null {
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

function toJob(row: SqlRow, result: JobResult | null): StoredJob {
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
