/** Kept answers over every engine (E-4). */
import { beforeEach, describe, expect, it } from 'vitest';
import { SqlKeptAnswers } from '../../src/adapters/store-sql/kept-answers.ts';
import type { NewKeptAnswer } from '../../src/ports/kept-answers.ts';
import { plainSealer } from '../support/plain-sealer.ts';
import { ENGINES, type Fate, fateful, useEngine } from './engines.ts';

function answer(text: string, more: Partial<NewKeptAnswer> = {}): NewKeptAnswer {
  return {
    ref: { scope: 's', fingerprint: 'f' },
    workspace: 'w',
    body: Buffer.from(text),
    stream: false,
    servedModel: 'm',
    degradedReasons: [],
    requestId: 'req_1',
    at: 1000,
    expiresAt: 5000,
    maxBytes: 1000,
    ...more,
  };
}

const REF = { scope: 's', fingerprint: 'f' };
const of = (fingerprint: string) => ({ ref: { scope: 's', fingerprint } });

describe.each(ENGINES)('kept answers on $name', (engine) => {
  const bench = useEngine(engine);
  let fate: Fate;
  let problems: (string | null)[];
  let timers: (() => void)[];
  let kept: SqlKeptAnswers;

  beforeEach(async () => {
    fate = 'done';
    problems = [];
    timers = [];
    const { db } = await bench.process('p1');
    kept = new SqlKeptAnswers({
      db: fateful(db, () => fate),
      sql: bench.sql.kept,
      sealer: plainSealer,
      clock: {
        now: () => 0,
        wall: () => 0,
        after: (_ms, call) => {
          timers.push(call);
          return () => undefined;
        },
      },
      onProblem: (problem) => problems.push(problem),
    });
  });

  async function newest(ref = REF, since = 0, wall = 2000): Promise<string | null> {
    const found = await kept.newest(ref, since, wall);
    return found === null ? null : Buffer.from(found.body).toString();
  }

  it('E-4: the newest of its scope and fingerprint, with everything said of it', async () => {
    kept.keep(answer('old'));
    await kept.flush();
    kept.keep(answer('new', { at: 1500, stream: true, degradedReasons: ['model'], servedModel: 'n' }));
    await kept.flush();
    const { body, ...rest } = (await kept.newest(REF, 0, 2000))!;
    expect(Buffer.from(body).toString()).toBe('new');
    expect(rest).toEqual({ stream: true, degradedReasons: ['model'], servedModel: 'n', requestId: 'req_1', at: 1500 });
    expect(await newest({ scope: 's', fingerprint: 'g' })).toBeNull();
    expect(await newest({ scope: 't', fingerprint: 'f' })).toBeNull();
  });

  it('E-4: one that still waits to be written is there too', async () => {
    kept.keep(answer('soon'));
    expect(await newest()).toBe('soon');
    expect(await newest(REF, 1001)).toBeNull();
    expect(timers).toHaveLength(1);
  });

  it('E-4: neither too old nor expired', async () => {
    kept.keep(answer('kept'));
    await kept.flush();
    expect(await newest(REF, 1000)).toBe('kept');
    expect(await newest(REF, 1001)).toBeNull();
    expect(await newest(REF, 0, 4999)).toBe('kept');
    expect(await newest(REF, 0, 5000)).toBeNull();
  });

  it('E-4: bounded: the oldest make room, and what is larger than all is not kept', async () => {
    const text = 'x'.repeat(300);
    for (const name of ['a', 'b', 'c', 'd']) {
      kept.keep(answer(text, of(name)));
      await kept.flush();
    }
    kept.keep(answer('y'.repeat(1001), of('e')));
    await kept.flush();
    const there = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => newest(of(name).ref)));
    expect(there.map((found) => found !== null)).toEqual([false, true, true, true, false]);
  });

  it('E-4: one workspace makes no room for another', async () => {
    kept.keep(answer('x'.repeat(900), { ...of('a'), workspace: 'other' }));
    await kept.flush();
    for (const name of ['b', 'c']) kept.keep(answer('x'.repeat(450), of(name)));
    await kept.flush();
    expect(await newest(of('a').ref)).not.toBeNull();
    expect(await newest(of('b').ref)).not.toBeNull();
  });

  it('E-4: deleted when they expire, and where nothing is kept any more', async () => {
    kept.keep(answer('short', of('a')));
    kept.keep(answer('long', { ...of('b'), expiresAt: 9000 }));
    kept.keep(answer('other', { ...of('c'), workspace: 'v', expiresAt: 9000 }));
    await kept.flush();
    expect(await kept.forget(5000, new Set(['w']))).toBe(2);
    expect(await newest(of('b').ref, 0, 5000)).toBe('long');
    expect(await newest(of('c').ref, 0, 5000)).toBeNull();
  });

  it('E-4: what still waits to be written when its workspace stops keeping is never written', async () => {
    kept.keep(answer('no more', { ...of('a'), workspace: 'v' }));
    kept.keep(answer('still', of('b')));
    await kept.forget(1000, new Set(['w']));
    await kept.flush();
    expect(await newest(of('a').ref, 0, 1000)).toBeNull();
    expect(await newest(of('b').ref, 0, 1000)).toBe('still');
  });

  it('E-4, H-5: a disk that can’t be written costs the answer and is told once', async () => {
    fate = 'lost';
    kept.keep(answer('gone'));
    await kept.flush();
    kept.keep(answer('gone too'));
    await kept.flush();
    fate = 'done';
    expect(await newest()).toBeNull();
    kept.keep(answer('well'));
    await kept.flush();
    expect(await newest()).toBe('well');
    expect(problems).toEqual([expect.stringContaining('answers are not kept'), null]);
  });

  it('E-4: closing writes what waits', async () => {
    kept.keep(answer('last'));
    await kept.close();
    kept.keep(answer('too late', of('z')));
    expect(await newest()).toBe('last');
    expect(await newest(of('z').ref)).toBeNull();
  });
});
