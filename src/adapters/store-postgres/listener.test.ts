import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../../test/support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../../../test/support/servers/postgres-schema.ts';
import type { Notifier } from '../../ports/notifier.ts';
import { systemClock } from '../system-clock.ts';
import { readAddress } from './address.ts';
import { connect } from './connect.ts';
import { Listener } from './listener.ts';

describe.runIf(hasPostgres())('word between processes', () => {
  let schema: PostgresSchema;
  let open: Listener[];
  beforeAll(async () => {
    schema = await openSchema();
  });
  afterAll(() => schema.drop());
  beforeEach(() => {
    open = [];
    return async () => void (await Promise.all(open.map((one) => one.close())));
  });

  async function listen(channel = `us_${schema.name}`): Promise<Listener> {
    const address = readAddress(schema.url);
    const name = `understudy/${schema.name}_${open.length}`;
    const listener = new Listener({ connect: () => connect(address, name, systemClock), clock: systemClock, channel });
    open.push(listener);
    await listener.start();
    return listener;
  }

  function heardBy(notifier: Notifier): string[] {
    const heard: string[] = [];
    notifier.subscribe('objects', (payload) => heard.push(`objects ${payload}`));
    notifier.subscribe('key', (payload) => heard.push(`key ${payload}`));
    return heard;
  }

  it('H-4: every process hears a word, its own too, each kind where it is asked for', async () => {
    const [one, two, other] = [await listen(), await listen(), await listen('us_elsewhere')];
    const all = [one, two, other].map(heardBy);
    one.publish('objects', '7 of us');
    two.publish('key', '');
    one.publish('job', 'nobody asked');
    await expect.poll(() => all[0]?.length).toBe(2);
    await expect.poll(() => all[1]?.length).toBe(2);
    expect(all[1]?.sort()).toEqual(['key ', 'objects 7 of us']);
    expect(all[2]).toEqual([]);
  });

  it('H-4: equal words of a moment are sent once, too long ones not at all', async () => {
    const [one, two] = [await listen(), await listen()];
    const heard = heardBy(two);
    for (let n = 0; n < 50; n += 1) one.publish('key', 'same');
    one.publish('key', 'x'.repeat(513));
    one.publish('objects', 'end');
    await expect.poll(() => heard).toContain('objects end');
    expect(heard).toEqual(['key same', 'objects end']);
  });

  it('H-4: a broken connection is told as a gap, and words are heard again', async () => {
    const [one, two] = [await listen(), await listen()];
    const heard = heardBy(two);
    let gaps = 0;
    two.onGap(() => {
      gaps += 1;
    });
    const ended = await schema.query(
      `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE application_name = 'understudy/${schema.name}_1'`,
    );
    expect(ended).toEqual([[true]]);
    await expect.poll(() => gaps, { timeout: 10_000 }).toBe(1);
    one.publish('key', 'again');
    await expect.poll(() => heard).toEqual(['key again']);
  });

  it('H-4: whoever stops asking hears no more', async () => {
    const one = await listen();
    const heard: string[] = [];
    const stop = one.subscribe('key', (payload) => heard.push(payload));
    one.publish('key', 'a');
    await expect.poll(() => heard).toEqual(['a']);
    stop();
    const end = heardBy(one);
    one.publish('key', 'b');
    await expect.poll(() => end).toEqual(['key b']);
    expect(heard).toEqual(['a']);
  });
});
