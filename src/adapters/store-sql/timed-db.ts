/** How long a database takes, as whoever asks it feels it: waiting in line included (O-3). */
import type { StateDb } from './state-db.ts';

type Db = Pick<StateDb, 'read' | 'write'>;

/**
 * @param name what it is for: operations are told as `NAME_write` and `NAME_read`
 * @param took ms; told of good and bad ends alike
 */
export function timedDb(db: Db, name: string, now: () => number, took: (operation: string, ms: number) => void): Db {
  const timed = async <T>(operation: string, order: () => Promise<T>): Promise<T> => {
    const began = now();
    try {
      return await order();
    } finally {
      took(operation, now() - began);
    }
  };
  const [write, read] = [`${name}_write`, `${name}_read`];
  return {
    write: (steps) => timed(write, () => db.write(steps)),
    read: (sql, params) => timed(read, () => db.read(sql, params)),
  };
}
