import { expect, it } from 'vitest';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import { timedDb } from './timed-db.ts';

it('O-3: tells how long each order took, and by its fault too; answers pass as they are', async () => {
  let now = 100;
  const told: unknown[] = [];
  const db = timedDb(
    {
      write: async () => {
        now += 7;
        return { changes: 2 };
      },
      read: async () => {
        now += 30;
        throw new StateStoreUnavailable('away');
      },
    },
    'keys',
    () => now,
    (operation, ms) => told.push([operation, ms]),
  );
  expect(await db.write([])).toEqual({ changes: 2 });
  await expect(db.read('SELECT 1', [])).rejects.toThrow(StateStoreUnavailable);
  expect(told).toEqual([
    ['keys_write', 7],
    ['keys_read', 30],
  ]);
});
