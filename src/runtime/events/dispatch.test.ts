import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../sim/virtual/virtual-clock.ts';
import { DirectStateDb } from '../../../test/support/direct-state-db.ts';
import { SqlOutbox } from '../../adapters/store-sql/outbox.ts';
import { OUTBOX_SQL } from '../../adapters/store-sqlite/outbox-sql.ts';
import { EventQueue } from '../../adapters/webhooks/event-queue.ts';
import { Secret, type WebhookEntry } from '../../config/snapshot.ts';
import { networkRules } from '../../core/net/network-rules.ts';
import type { NewEvent, WebhookAnswer, WebhookMessage } from '../../ports/events.ts';
import { soleHolder } from '../../ports/holder.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import { Dispatcher } from './dispatch.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const RULES = networkRules([]);
const OK: WebhookAnswer = { status: 200, answer: null, retryAfterMs: null, tookMs: 3 };
const FAILED: WebhookAnswer = { status: 500, answer: 'token=hush', retryAfterMs: null, tookMs: 3 };

interface Sent {
  readonly at: number;
  readonly message: WebhookMessage;
  readonly body: { readonly type: string; readonly id?: string; readonly data: unknown };
}

let clock: VirtualClock;
let state: DirectStateDb;
let hooks: Map<string, WebhookEntry>;
let sent: Sent[];
let tried: string[];
let dropped: number;
let bugs: unknown[];
let answer: (message: WebhookMessage, tries: number) => WebhookAnswer | Promise<WebhookAnswer>;
/** What becomes of a call that reaches the store. */
let fate: (what: string) => 'done' | 'lost';
let ids: number;

beforeEach(() => {
  clock = new VirtualClock();
  state = new DirectStateDb();
  hooks = new Map();
  sent = [];
  tried = [];
  dropped = 0;
  bugs = [];
  answer = () => OK;
  fate = () => 'done';
  ids = 0;
  hook('ops');
});
afterEach(() => {
  state.close();
  expect(bugs).toEqual([]);
});

function hook(name: string, change: Partial<WebhookEntry> = {}): void {
  const url = `https://${name}.example/`;
  const entry = {
    name,
    url,
    secrets: [new Secret(SECRET)],
    events: ['*'],
    workspace: null,
    enabled: true,
    ofFile: true,
  };
  hooks.set(name, { ...entry, ...change });
}

/** One process on the store. */
function start(holder = 'h1') {
  const db = state.connection(async (what) => fate(what));
  const outbox = new SqlOutbox({ db, sql: OUTBOX_SQL, holder: soleHolder(holder) });
  const queue: EventQueue = new EventQueue({
    outbox,
    clock,
    newId: (prefix) => `${prefix}${++ids}`,
    hooks: () => hooks.values(),
    onPut: () => dispatcher.wake(),
    onDropped: (count) => {
      dropped += count;
    },
    onBug: (error) => bugs.push(error),
  });
  const dispatcher: Dispatcher = new Dispatcher({
    outbox,
    sender: {
      async send(message) {
        const body = JSON.parse(message.body) as Sent['body'];
        sent.push({ at: clock.now(), message, body });
        return answer(message, sent.filter((one) => one.message.id === message.id).length);
      },
    },
    tell: ({ kind: type, workspace, data }) =>
      void queue.emit({ type, at: clock.wall(), workspace, requestId: null, data }),
    clock,
    random: () => 0.5,
    hook: (name) => hooks.get(name) ?? null,
    hasHooks: () => hooks.size > 0,
    rules: () => RULES,
    mask: (text) => text.replace('hush', '***'),
    onTried: (how) => tried.push(how),
    switchOff: ({ name }) => void hooks.delete(name),
    onBug: (error) => bugs.push(error),
  });
  dispatcher.start();
  return { queue, dispatcher, outbox };
}

const event = (n: number, change: Partial<NewEvent> = {}): NewEvent => ({
  type: 'key.banned',
  at: clock.wall(),
  workspace: 'acme',
  requestId: null,
  data: { n },
  ...change,
});

/** Lets everything happen that is due within `ms`. */
async function pass(ms: number): Promise<void> {
  const end = clock.now() + ms;
  let over = false;
  clock.after(ms, () => {
    over = true;
  });
  while (!over) {
    for (let turn = 0; turn < 12; turn += 1) await new Promise((done) => setImmediate(done));
    clock.step();
  }
  for (let turn = 0; turn < 12; turn += 1) await new Promise((done) => setImmediate(done));
  expect(clock.now()).toBe(end);
}

/** Of all messages. */
function events(): readonly Sent['body'][] {
  return sent.flatMap(({ body }) => (body.type === 'batch' ? (body.data as Sent['body'][]) : [body]));
}

const HOUR = 3_600_000;

describe('events on their way', () => {
  it('G-7: an event is told once, about a second after it happened', async () => {
    const { queue, outbox } = start();
    expect(queue.emit(event(1))).toBe(true);
    await pass(HOUR);
    expect(sent.map(({ at, body }) => [at, body.type, body.data])).toEqual([[1000, 'key.banned', { n: 1 }]]);
    expect(sent[0]?.message).toMatchObject({ url: 'https://ops.example/', secrets: [SECRET], guard: null });
    expect(tried).toEqual(['delivered']);
    expect((await outbox.deliveries({ hook: 'ops', limit: 9 })).data).toMatchObject([
      { state: 'delivered', tries: 1, status: 200, types: ['key.banned'] },
    ]);
  });

  it('G-7: several within a second go as one message, in order', async () => {
    const { queue } = start();
    for (let n = 0; n < 8; n += 1) {
      queue.emit(event(n));
      await pass(110);
    }
    await pass(5000);
    expect(events().map(({ data }) => data)).toEqual(Array.from({ length: 8 }, (_, n) => ({ n })));
    expect(sent[0]?.body.type).toBe('batch');
    expect(sent.length).toBeLessThanOrEqual(2);
  });

  it('G-7: no message holds more than 100', async () => {
    const { queue } = start();
    for (let n = 0; n < 250; n += 1) queue.emit(event(n));
    await pass(10_000);
    expect(sent.map(({ body }) => (body.data as unknown[]).length)).toEqual([100, 100, 50]);
  });

  it('G-7, G-8: every hook gets what it asked for and may know', async () => {
    hook('keys', { events: ['key.*'] });
    hook('mine', { workspace: 'acme' });
    hook('theirs', { workspace: 'beta' });
    const { queue } = start();
    queue.emit(event(1));
    queue.emit(event(2, { type: 'alert.p99', workspace: null }));
    await pass(5000);
    const got = Object.fromEntries(
      sent.map(({ message, body }) => [
        new URL(message.url).hostname.split('.')[0],
        body.type === 'batch' ? (body.data as { type: string }[]).map(({ type }) => type) : [body.type],
      ]),
    );
    expect(got).toEqual({ ops: ['key.banned', 'alert.p99'], keys: ['key.banned'], mine: ['key.banned'] });
  });

  it('G-7: what nobody wants to hear is not kept', async () => {
    hooks.clear();
    const { queue } = start();
    expect(queue.emit(event(1))).toBe(true);
    await pass(1000);
    hook('ops');
    await pass(HOUR);
    expect(sent).toEqual([]);
  });

  it('G-9: the address of a hook of the store is guarded', async () => {
    hook('ops', { ofFile: false });
    const { queue } = start();
    queue.emit(event(1));
    await pass(5000);
    expect(sent[0]?.message.guard).toBe(RULES);
  });

  it('G-7: a full queue drops and counts, and tells of it once when there is room again', async () => {
    const { queue } = start();
    fate = () => 'lost';
    const taken = Array.from({ length: 10_007 }, (_, n) => queue.emit(event(n))).filter((kept) => kept);
    expect([taken.length, dropped]).toEqual([10_000, 7]);
    await pass(2000);
    fate = () => 'done';
    await pass(600_000);
    const all = events();
    expect(all).toHaveLength(10_001);
    expect(all.filter(({ type }) => type === 'events.lost').map(({ data }) => data)).toEqual([{ count: 7 }]);
  });

  it('G-7: a receiver that is away for long fills no disk: what comes beyond is lost for it alone, and told', async () => {
    hook('away', { events: ['key.*'] });
    const { queue, outbox } = start();
    const real = outbox.waiting.bind(outbox);
    outbox.waiting = async () => new Map([...(await real()), ['away', 10_000]]);
    answer = ({ url }) => (url.includes('away') ? FAILED : OK);
    for (let n = 0; n < 3; n += 1) {
      queue.emit(event(n));
      await pass(2000);
    }
    await pass(120_000);
    queue.emit(event(3));
    await pass(5000);
    expect(sent.filter(({ message }) => message.url.includes('away'))).toEqual([]);
    expect(events().filter(({ type }) => type === 'key.banned')).toHaveLength(4);
    expect(events().flatMap(({ type, data }) => (type === 'events.lost' ? [data] : []))).toEqual([
      { count: 1 },
      { count: 3 },
    ]);
    expect(dropped).toBe(4);
  });
});

describe('deliveries', () => {
  it('G-7: a failed one is sent again by the schedule, with the same id and body, then given up', async () => {
    answer = () => FAILED;
    const { queue, outbox } = start();
    queue.emit(event(1));
    await pass(40 * HOUR);
    const gaps = sent.slice(1).map(({ at }, i) => Math.round((at - sent[i]!.at) / 1000));
    expect(gaps).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400]);
    expect(new Set(sent.map(({ message }) => `${message.id} ${message.body}`)).size).toBe(1);
    expect(tried).toEqual([...Array.from({ length: 7 }, () => 'retried'), 'given_up']);
    const { data } = await outbox.deliveries({ hook: 'ops', limit: 9 });
    expect(data).toMatchObject([{ state: 'given_up', tries: 8, status: 500, answer: 'token=***' }]);
  });

  it('G-7: giving up is an event for others', async () => {
    hook('other', { events: ['webhook.*'] });
    answer = ({ url }) => (url.includes('ops') ? FAILED : OK);
    const { queue } = start();
    queue.emit(event(1));
    await pass(40 * HOUR);
    const others = sent.filter(({ message }) => message.url.includes('other'));
    expect(others.map(({ body }) => [body.type, body.data])).toEqual([
      ['webhook.given_up', { webhook: 'ops', delivery: 'msg_2', events: 1, status: 500 }],
    ]);
  });

  it('G-7: one that works in between ends it', async () => {
    answer = (_message, tries) => (tries < 3 ? FAILED : OK);
    const { queue } = start();
    queue.emit(event(1));
    await pass(40 * HOUR);
    expect(tried).toEqual(['retried', 'retried', 'delivered']);
  });

  it('G-7: a receiver that says how long to wait is believed', async () => {
    answer = (_message, tries) => (tries === 1 ? { ...FAILED, status: 429, retryAfterMs: 120_000 } : OK);
    const { queue } = start();
    queue.emit(event(1));
    await pass(HOUR);
    expect(sent.map(({ at }) => at)).toEqual([1000, 121_000]);
  });

  it('G-7: 410 switches the hook off, and nothing more of it is sent', async () => {
    hook('other', { events: ['webhook.*'] });
    let release: (told: WebhookAnswer) => void = () => undefined;
    answer = ({ url }) => {
      if (url.includes('other')) return OK;
      return new Promise((resolve) => {
        release = resolve;
      });
    };
    const { queue, outbox } = start();
    queue.emit(event(1));
    await pass(2000);
    queue.emit(event(2));
    await pass(3000);
    release({ ...OK, status: 410 });
    await pass(HOUR);
    queue.emit(event(3));
    await pass(HOUR);
    expect(sent.map(({ body }) => body.type)).toEqual(['key.banned', 'webhook.disabled']);
    const { data } = await outbox.deliveries({ hook: 'ops', limit: 9 });
    expect(data.map(({ state, status }) => [state, status])).toEqual([
      ['given_up', null],
      ['given_up', 410],
    ]);
  });

  it('G-7: a hook that hangs keeps nobody else waiting', async () => {
    hook('other');
    answer = ({ url }) => (url.includes('ops') ? new Promise(() => undefined) : OK);
    const { queue } = start();
    for (let n = 0; n < 5; n += 1) {
      queue.emit(event(n));
      await pass(2000);
    }
    const names = sent.map(({ message }) => new URL(message.url).hostname);
    expect(names.filter((name) => name === 'ops.example')).toHaveLength(1);
    expect(names.filter((name) => name === 'other.example')).toHaveLength(5);
  });

  it('G-8: what was meant for a hook of another workspace, or for one that is gone, is not sent', async () => {
    hook('mine', { workspace: 'acme' });
    hooks.delete('ops');
    const { queue, outbox } = start();
    queue.emit(event(1));
    await pass(500);
    hook('mine', { workspace: 'beta' });
    await pass(5000);
    expect(sent).toEqual([]);
    expect((await outbox.deliveries({ hook: 'mine', limit: 9 })).data).toMatchObject([
      { state: 'given_up', answer: 'the webhook is gone or switched off' },
    ]);
  });

  it('G-7: a store that is away for a while loses nothing and sends nothing twice', async () => {
    const { queue } = start();
    answer = () => {
      fate = () => 'lost';
      return OK;
    };
    queue.emit(event(1));
    await pass(4000);
    fate = () => 'done';
    await pass(HOUR);
    expect(sent).toHaveLength(1);
    expect(tried).toEqual(['delivered']);
  });

  it('G-7: what a process that died had begun, the next one sends, under the same id', async () => {
    answer = () => new Promise(() => undefined);
    const { queue } = start('h1');
    queue.emit(event(1));
    await pass(1500);
    expect(sent).toHaveLength(1);
    answer = () => OK;
    const { dispatcher } = start('h2');
    await pass(100);
    await dispatcher.close();
    expect(sent.map(({ message }) => message.id)).toEqual(['msg_2', 'msg_2']);
  });

  it('G-7: a replay is sent at once', async () => {
    const { queue, dispatcher, outbox } = start();
    queue.emit(event(1));
    await pass(HOUR);
    expect(await outbox.replay(sent[0]!.message.id, clock.wall())).toBe('due');
    dispatcher.wake();
    await pass(10);
    expect(sent.map(({ message }) => message.id)).toEqual(['msg_2', 'msg_2']);
  });

  it('G-7: the end waits a moment for what is under way, and begins nothing', async () => {
    let release: (told: WebhookAnswer) => void = () => undefined;
    answer = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const { queue, dispatcher, outbox } = start();
    queue.emit(event(1));
    await pass(1500);
    const closing = dispatcher.close();
    release(OK);
    await closing;
    expect((await outbox.delivery('msg_2'))?.state).toBe('delivered');
    queue.emit(event(2));
    await pass(HOUR);
    expect(sent).toHaveLength(1);
  });

  it('G-7: the store away at the start is looked at again', async () => {
    fate = () => {
      throw new StateStoreUnavailable('away');
    };
    const { queue } = start();
    queue.emit(event(1));
    await pass(10_000);
    fate = () => 'done';
    await pass(20_000);
    expect(sent).toHaveLength(1);
  });
});
