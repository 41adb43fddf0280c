/** Events and their deliveries, over every engine (G-7). */
import { beforeEach, describe, expect, it } from 'vitest';
import { SqlOutbox } from '../../src/adapters/store-sql/outbox.ts';
import type { DeliveryResult, GatewayEvent, NewDelivery } from '../../src/ports/events.ts';
import { ENGINES, useEngine } from './engines.ts';

function event(n: number, change: Partial<GatewayEvent> = {}): GatewayEvent {
  return { id: `evt_${n}`, type: 'key.banned', at: n, workspace: 'acme', requestId: null, data: { n }, ...change };
}

function delivery(n: number, events: readonly number[], change: Partial<NewDelivery> = {}): NewDelivery {
  const eventIds = events.map((one) => `evt_${one}`);
  return { id: `msg_${n}`, hook: 'ops', workspace: null, eventIds, at: n, dueAt: 100, ...change };
}

function ended(change: Partial<DeliveryResult> = {}): DeliveryResult {
  return { state: 'delivered', nextAt: null, status: 204, answer: null, tookMs: 7, at: 200, ...change };
}

describe.each(ENGINES)('outbox, on $name', (engine) => {
  const bench = useEngine(engine);
  let outbox: SqlOutbox;
  const box = async (process: string): Promise<SqlOutbox> => {
    const { db, holder } = await bench.process(process);
    return new SqlOutbox({ db, sql: bench.sql.outbox, holder });
  };
  /** `h1` is dead, and another one takes over. */
  const next = async (): Promise<SqlOutbox> => {
    await bench.kill('h1');
    return box('h2');
  };

  beforeEach(async () => {
    outbox = await box('h1');
  });

  /** Events 1… and a delivery of each to `hook`. */
  async function put(count: number, hook = 'ops', from = 1): Promise<void> {
    const all = Array.from({ length: count }, (_, i) => from + i);
    await outbox.put(
      all.map((n) => event(n)),
      all.map((n) => delivery(n, [n], { hook })),
    );
  }

  it('G-7: what was put is there after the process, and due when it is due', async () => {
    await outbox.put([event(1), event(2)], [delivery(1, [1, 2])]);
    expect(await outbox.nextDue([])).toBe(100);
    const other = await next();
    expect(await other.take(99, 9, [])).toEqual([]);
    expect(await other.take(100, 9, [])).toEqual([
      { id: 'msg_1', hook: 'ops', workspace: null, tries: 0, at: 1, events: [event(1), event(2)] },
    ]);
  });

  it('G-7: events and deliveries come together or not at all', async () => {
    await put(1);
    await expect(outbox.put([event(2)], [delivery(1, [2])])).rejects.toThrow();
    await expect(outbox.put([event(1)], [delivery(2, [1])])).rejects.toThrow();
    expect((await outbox.deliveries({ hook: 'ops', limit: 9 })).data.map(({ id }) => id)).toEqual(['msg_1']);
  });

  it('G-7: what was taken is not taken again for a minute, nor once it is settled', async () => {
    await put(1);
    expect(await outbox.take(100, 9, [])).toHaveLength(1);
    expect(await outbox.take(100 + 59_999, 9, [])).toEqual([]);
    expect(await outbox.take(100 + 60_000, 9, [])).toHaveLength(1);
    expect(await outbox.nextDue([])).toBe(100 + 120_000);
    expect(await outbox.nextDue(['ops'])).toBeNull();
    await outbox.settle('msg_1', ended());
    expect(await outbox.take(1e9, 9, [])).toEqual([]);
    expect(await outbox.nextDue([])).toBeNull();
  });

  it('G-7: what a process that died had taken is due for the next one', async () => {
    await put(1);
    await outbox.take(100, 9, []);
    expect(await (await next()).take(101, 9, [])).toHaveLength(1);
    // The first one was not dead after all: it has nothing to say any more.
    await outbox.settle('msg_1', ended());
    expect((await outbox.delivery('msg_1'))?.state).toBe('waiting');
  });

  it('G-7: one delivery of each hook at a time, none of a busy one, so many in all', async () => {
    await outbox.put(
      [event(1)],
      ['a', 'b', 'c', 'd'].flatMap((hook, i) => [
        delivery(i, [1], { hook }),
        delivery(10 + i, [1], { hook, dueAt: 99 }),
      ]),
    );
    const hooks = (await outbox.take(100, 2, ['b'])).map(({ hook }) => hook);
    expect(hooks).toHaveLength(2);
    expect(hooks).not.toContain('b');
    expect(new Set([...hooks, ...(await outbox.take(100, 9, ['b', ...hooks])).map(({ hook }) => hook)]).size).toBe(3);
  });

  it('G-7: events of one hook that were never told go as one, in order, up to 100', async () => {
    await put(130);
    const [first] = await outbox.take(100, 9, []);
    expect(first?.id).toBe('msg_1');
    expect(first?.events.map(({ at }) => at)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
    await outbox.settle('msg_1', ended());
    const [second] = await outbox.take(100, 9, []);
    expect(second?.events.map(({ at }) => at)).toEqual(Array.from({ length: 30 }, (_, i) => 101 + i));
    const { data } = await outbox.deliveries({ hook: 'ops', limit: 500 });
    expect(data.map(({ id, eventIds }) => [id, eventIds.length])).toEqual([
      ['msg_101', 30],
      ['msg_1', 100],
    ]);
  });

  it('G-7: what a process may have sent before it died keeps its own message', async () => {
    await put(1);
    await outbox.take(100, 9, []);
    await put(2, 'ops', 2);
    const other = await next();
    expect(await other.take(101, 9, [])).toMatchObject([{ id: 'msg_1', events: [event(1)] }]);
    await other.settle('msg_1', ended());
    expect(await other.take(101, 9, [])).toMatchObject([{ id: 'msg_2', events: [event(2), event(3)] }]);
  });

  it('G-7: what was tried before keeps its own message, and so its id', async () => {
    await put(1);
    await outbox.take(100, 9, []);
    await outbox.settle('msg_1', ended({ state: 'waiting', nextAt: 150, status: 500, answer: 'oops' }));
    await put(2, 'ops', 2);
    const [fresh] = await outbox.take(100, 9, []);
    expect(fresh).toMatchObject({ id: 'msg_2', events: [event(2), event(3)] });
    await outbox.settle('msg_2', ended());
    expect(await outbox.take(150, 9, [])).toMatchObject([{ id: 'msg_1', tries: 1, events: [event(1)] }]);
  });

  it('G-8: those of a hook of another workspace are another message', async () => {
    await outbox.put(
      [event(1)],
      [delivery(1, [1], { workspace: 'acme' }), delivery(2, [1], { workspace: 'beta' }), delivery(3, [1])],
    );
    expect(await outbox.take(100, 9, [])).toMatchObject([{ id: 'msg_1', events: [event(1)] }]);
    const ofBeta = await outbox.deliveries({ hook: 'ops', workspace: 'beta', limit: 9 });
    expect(ofBeta.data.map(({ id }) => id)).toEqual(['msg_2']);
  });

  it('G-7: events that are not kept any more are missing', async () => {
    await put(1);
    await outbox.prune({ events: 50, deliveries: 50 });
    expect(await outbox.take(100, 9, [])).toMatchObject([{ id: 'msg_1', events: [] }]);
  });

  it('G-7: the log tells the last try of each, newest first, a page at a time', async () => {
    await put(3);
    await put(1, 'other', 9);
    await outbox.take(100, 1, []);
    await outbox.settle('msg_1', ended({ state: 'given_up', status: null, answer: 'no answer within 15 s', at: 300 }));
    const record = {
      id: 'msg_1',
      hook: 'ops',
      workspace: null,
      eventIds: ['evt_1', 'evt_2', 'evt_3'],
      types: ['key.banned'],
      state: 'given_up',
      tries: 1,
      nextAt: null,
      status: null,
      answer: 'no answer within 15 s',
      tookMs: 7,
      at: 1,
      doneAt: 300,
    };
    expect(await outbox.delivery('msg_1')).toEqual(record);
    expect(await outbox.delivery('msg_77')).toBeNull();
    await put(3, 'ops', 20);
    const first = await outbox.deliveries({ hook: 'ops', limit: 3 });
    expect(first.data.map(({ id }) => id)).toEqual(['msg_22', 'msg_21', 'msg_20']);
    expect(await outbox.deliveries({ hook: 'ops', limit: 3, cursor: first.next_cursor! })).toEqual({
      data: [record],
      next_cursor: null,
    });
    const ended_ = await outbox.deliveries({ hook: 'ops', state: 'given_up', limit: 9 });
    expect(ended_.data.map(({ id }) => id)).toEqual(['msg_1']);
  });

  it('G-7: a replay is due at once, counted anew, and never while it is under way', async () => {
    await put(1);
    await outbox.take(100, 9, []);
    expect(await outbox.replay('msg_1', 120)).toBe('under_way');
    await outbox.settle('msg_1', ended({ state: 'given_up', at: 130 }));
    expect(await outbox.replay('msg_1', 200)).toBe('due');
    expect(await outbox.nextDue([])).toBe(200);
    expect(await outbox.take(200, 9, [])).toMatchObject([{ id: 'msg_1', tries: 0, events: [event(1)] }]);
    expect(await outbox.replay('msg_2', 200)).toBe('gone');
    await outbox.settle('msg_1', ended());
    await outbox.prune({ events: 50, deliveries: 0 });
    expect(await outbox.replay('msg_1', 300)).toBe('gone');
  });

  it('G-7: tells how much waits for each hook', async () => {
    expect(await outbox.waiting()).toEqual(new Map());
    await put(3);
    await put(1, 'other', 9);
    await outbox.take(100, 9, ['other']);
    await outbox.settle('msg_1', ended());
    await put(2, 'ops', 20);
    expect(await outbox.waiting()).toEqual(
      new Map([
        ['ops', 2],
        ['other', 1],
      ]),
    );
  });

  it('G-7: what waits for a hook that is gone is given up', async () => {
    await put(2);
    await put(1, 'other', 9);
    expect(await outbox.giveUp('ops', 'the hook is gone', 150)).toBe(2);
    expect((await outbox.take(1e9, 9, [])).map(({ hook }) => hook)).toEqual(['other']);
    expect(await outbox.delivery('msg_1')).toMatchObject({
      state: 'given_up',
      answer: 'the hook is gone',
      doneAt: 150,
    });
  });

  it('O-1: retention takes away old events, and old deliveries that have ended', async () => {
    await put(3);
    await outbox.take(100, 1, []);
    await outbox.settle('msg_1', ended({ at: 200 }));
    await put(2, 'ops', 10);
    expect(await outbox.prune({ events: 3, deliveries: 201 })).toEqual({ events: 2, deliveries: 1 });
    expect((await outbox.deliveries({ hook: 'ops', limit: 9 })).data.map(({ id }) => id)).toEqual(['msg_11', 'msg_10']);
    expect(await outbox.prune({ events: 0, deliveries: 0 })).toEqual({ events: 0, deliveries: 0 });
  });

  it('O-1: more than one step is done', async () => {
    const all = Array.from({ length: 1200 }, (_, n) => event(n));
    await outbox.put(all, []);
    expect(await outbox.prune({ events: 1100, deliveries: 0 })).toMatchObject({ events: 1100 });
  });
});
