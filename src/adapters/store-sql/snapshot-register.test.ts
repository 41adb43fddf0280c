import { describe, expect, it } from 'vitest';
import { SnapshotRegister } from './snapshot-register.ts';

const DAY = 86_400_000;
const names = (version: number, model: string) => ({ version, models: [model], channels: [], credentials: [] });

describe('P-7: names of snapshots', () => {
  const register = () => new SnapshotRegister({ insertSnapshot: 'insert', retireOtherSnapshots: 'retire' });
  const stored = (one: SnapshotRegister): unknown[] => {
    const { steps, stored: sent } = one.steps();
    one.sent(sent);
    return steps.flatMap((step) => ('rows' in step && Array.isArray(step.rows) ? [step.rows[0]] : []));
  };

  it('are known by what they are: two processes with the same names have one id, others have others', () => {
    const [one, two] = [register(), register()];
    one.add(names(1, 'a'), 0);
    two.add(names(99, 'a'), 5);
    expect(one.idOf(1, 0)).toBe(two.idOf(99, 5));
    two.add(names(100, 'b'), 6);
    expect(two.idOf(100, 6)).not.toBe(one.idOf(1, 0));
  });

  it('in use are written again every day, for another process may have retired them', () => {
    const one = register();
    one.add(names(1, 'a'), 0);
    const id = one.idOf(1, 0);
    expect(stored(one)).toHaveLength(2);
    one.idOf(1, DAY - 1);
    expect(one.pending).toBe(false);
    expect(one.idOf(1, DAY)).toBe(id);
    expect(stored(one)).toEqual([
      [id, expect.any(String), DAY],
      [DAY, id],
    ]);
    one.idOf(1, DAY + 1);
    expect(one.pending).toBe(false);
    // One that a request still has from before is nobody's to keep.
    one.add(names(2, 'b'), DAY);
    stored(one);
    one.idOf(1, 5 * DAY);
    expect(one.pending).toBe(false);
  });
});
