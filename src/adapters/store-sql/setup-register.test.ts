import { describe, expect, it } from 'vitest';
import { REQUESTS_SQL } from '../store-sqlite/requests-sql.ts';
import { SetupRegister } from './setup-register.ts';

const DAY = 86_400_000;

/** A part that counts how often it is written out. */
function counted(): { readonly part: object; readonly reads: () => number } {
  let reads = 0;
  const part = {
    get timeoutMs(): number {
      reads += 1;
      return 5;
    },
  };
  return { part, reads: () => reads };
}

/** What it would store now, as [content, wall ms]. */
function waiting(register: SetupRegister): unknown[] {
  return register.steps().steps.flatMap((step) => ('rows' in step && Array.isArray(step.rows) ? step.rows : []));
}

describe('O-1: parts that setups share', () => {
  it('O-1: an object is written out once in its life, and handed on once', () => {
    const register = new SetupRegister(REQUESTS_SQL);
    const { part, reads } = counted();
    const id = register.idOf(part, 1);
    for (let n = 0; n < 100; n += 1) expect(register.idOf(part, 1 + n)).toBe(id);
    expect(reads()).toBe(1);
    expect(waiting(register)).toEqual([[id, '{"timeoutMs":5}', 1]]);
    register.sent(register.steps().stored);
    expect(register.pending).toBe(false);
    expect(register.idOf({ timeoutMs: 5 }, 2)).toBe(id);
    expect(register.pending).toBe(false);
  });

  it('O-1: money and sets make different contents', () => {
    const register = new SetupRegister(REQUESTS_SQL);
    const ids = [{ a: 1n }, { a: '1' }, { a: new Set(['1']) }, { a: ['1'] }].map((part) => register.idOf(part, 1));
    expect(new Set(ids).size).toBe(4);
  });

  it('O-1: a part in use is stamped again each day, an unused one is not', () => {
    const register = new SetupRegister(REQUESTS_SQL);
    const part = { a: 1 };
    const id = register.idOf(part, 5);
    register.sent(register.steps().stored);
    register.idOf(part, 5 + DAY - 1);
    expect(register.pending).toBe(false);
    register.idOf(part, 5 + DAY);
    expect(waiting(register)).toEqual([[id, '{"a":1}', 5 + DAY]]);
  });

  it('O-2: a stamp made while the one before is under way is not taken for stored', () => {
    const register = new SetupRegister(REQUESTS_SQL);
    const part = { a: 1 };
    register.idOf(part, 0);
    const { stored } = register.steps();
    register.idOf(part, DAY);
    register.sent(stored);
    expect(waiting(register)).toMatchObject([[expect.any(String), '{"a":1}', DAY]]);
  });

  it('O-2: a new file gets what is held at once, what is not held at its next use', () => {
    const register = new SetupRegister(REQUESTS_SQL);
    const parts = Array.from({ length: 300 }, (_, a) => ({ a }));
    for (const part of parts) {
      register.idOf(part, 1);
      register.sent(register.steps().stored);
    }
    register.sendAgain();
    expect(waiting(register)).toHaveLength(256);
    register.sent(register.steps().stored);
    register.idOf(parts[299]!, 1);
    expect(register.pending).toBe(false);
    register.idOf(parts[0]!, 1);
    expect(waiting(register)).toMatchObject([[expect.any(String), '{"a":0}', 1]]);
  });

  it('O-2: while too many wait for the disk a new part gets no id, a stored one keeps its own', () => {
    const register = new SetupRegister(REQUESTS_SQL);
    const known = { a: -1 };
    const id = register.idOf(known, 1);
    register.sent(register.steps().stored);
    for (let a = 0; a < 256; a += 1) expect(register.idOf({ a }, 1)).not.toBeNull();
    const late = { a: 999 };
    expect(register.idOf(late, 1)).toBeNull();
    expect(register.idOf(known, 1 + DAY)).toBe(id);
    expect(waiting(register)).toHaveLength(256);
    register.sent(register.steps().stored);
    expect(register.idOf(late, 2)).not.toBeNull();
    register.idOf(known, 2 + DAY);
    expect(waiting(register)).toHaveLength(2);
  });

  it('O-1: what the file was told to forget is stored at its next use', () => {
    const register = new SetupRegister(REQUESTS_SQL);
    const [old, used] = [{ a: 1 }, { a: 2 }];
    register.idOf(old, 1);
    register.idOf(used, 10);
    register.sent(register.steps().stored);
    register.forget(10);
    register.idOf(used, 11);
    expect(register.pending).toBe(false);
    register.idOf(old, 11);
    expect(waiting(register)).toMatchObject([[expect.any(String), '{"a":1}', 11]]);
  });
});
