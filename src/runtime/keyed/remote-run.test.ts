import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HandClock } from '../../../test/support/hand-clock.ts';
import { MemoryBook, MemoryIdempotency } from '../../../test/support/memory-idempotency.ts';
import { JoinHub } from '../../../test/support/memory-joins.ts';
import { gatewayError } from '../../core/errors/catalogue.ts';
import { chatCodec } from '../../dialects/chat/codec.ts';
import { responsesCodec } from '../../dialects/responses/codec.ts';
import type { KeyedAsk } from './ask.ts';
import type { KeyedRun } from './keyed-run.ts';
import { KeyedRuns } from './keyed-runs.ts';
import type { RemoteRun } from './remote-run.ts';
import type { SpoolReader } from './spool.ts';

const ref = { scope: 'key:a chat', keyHash: 'ab' };
const ask: KeyedAsk = {
  id: 'ab key:a chat',
  ref,
  clientKey: 'a',
  fingerprint: 'f',
  explicit: true,
  expiresAt: 9_000_000,
  maxAttempts: 12,
  regenerate: false,
  onDuplicate: 'join',
  patienceMs: 60_000,
};

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const utf8 = (words: string): Uint8Array => Buffer.from(words);
const sha = (words: string): string => createHash('sha256').update(words).digest('hex');

/** Somebody who only waits. */
class Waiting implements SpoolReader {
  readonly openedEarly = false;
  startKeepAlive(): void {}
  stopKeepAlive(): void {}
  pump(): void {}
}

function requestOf(stream: boolean, codec = chatCodec) {
  const body = { model: 'm', messages: [{ role: 'user', content: 'x' }], input: 'x', stream };
  const read = codec.readRequest(utf8(JSON.stringify(body)), {});
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

interface Pair {
  readonly clock: HandClock;
  readonly hub: JoinHub;
  readonly leading: MemoryIdempotency;
  readonly owner: KeyedRun;
  readonly run: RemoteRun;
  readonly here: KeyedRuns;
  readonly reader: Waiting;
  /** What was shown here so far. */
  shown(): Promise<string>;
}

/** One process has the round; a client of another waits for it. */
async function pair({ stream = false, codec = chatCodec, hub = new JoinHub() } = {}): Promise<Pair> {
  const book = new MemoryBook();
  const clock = new HandClock();
  const deps = { clock, folder: '/nowhere', reportBug: (error: unknown) => expect.unreachable(String(error)) };
  const [leading, other] = ['one', 'two'].map(
    (name) => new MemoryIdempotency(book, name, 30_000, hub.joins(clock.after)),
  );
  const found = await new KeyedRuns({ ...deps, store: leading! }).find(ask, 'r1');
  if (found.kind !== 'owner') throw new Error('not the owner');
  const owner = found.run;
  owner.plan(['m']);
  const leader = new Waiting();
  owner.spool.add(leader);
  const here = new KeyedRuns({ ...deps, store: other! });
  const elsewhere = await here.find(ask, 'r2');
  if (elsewhere.kind !== 'elsewhere') throw new Error(elsewhere.kind);
  const words = { codec, request: requestOf(stream, codec) };
  const run = here.follow(ask, elsewhere, words) as RemoteRun;
  const reader = new Waiting();
  run.spool.add(reader);
  const shown = async (): Promise<string> => text(await run.spool.bytes.all(new Uint8Array()));
  return { clock, hub, leading: leading!, owner, run, here, reader, shown };
}

async function succeed({ owner, leading }: Pair, body: string, stream: boolean): Promise<void> {
  const answer = {
    status: 200,
    headers: { 'content-type': 'application/json', 'x-understudy-degraded': 'true' },
    body: utf8(body),
    stream,
    at: 0,
    servedModel: 'other',
    digest: sha(body),
  };
  await leading.succeed({ ref, round: 1, requestId: 'r1', attemptId: null, answer });
  owner.settle(null);
}

describe('a run in another process', () => {
  it('I-6: its answer is this request’s, byte for byte, and who made it is said', async () => {
    const world = await pair();
    const { clock, run } = world;
    await clock.pass(100);
    expect(run.spool.finished).toBeNull();
    await succeed(world, '{"a":1}', false);
    await clock.pass(600);
    expect([run.spool.head?.status, run.spool.finished, await world.shown()]).toEqual([
      200,
      { kind: 'whole' },
      '{"a":1}',
    ]);
    expect(run.spool.head!.headers).toContain('content-length');
    expect(await run.settled).toEqual({ servedModel: 'other', degradedReasons: ['model'] });
    expect([run.digest, run.state, world.hub.joined]).toEqual([sha('{"a":1}'), 'succeeded', []]);
  });

  it('I-6: a stream is shown while it runs; its end only once it is stored', async () => {
    const world = await pair({ stream: true });
    const { clock, owner, run } = world;
    owner.spool.open(200, ['content-type', 'text/event-stream']);
    owner.spool.write(utf8('data: 1\n\n'));
    await clock.pass(100);
    expect([await world.shown(), run.spool.finished, await run.planned]).toEqual(['data: 1\n\n', null, ['m']]);
    owner.spool.write(utf8('data: 2\n\n'));
    await clock.pass(100);
    expect(await world.shown()).toBe('data: 1\n\ndata: 2\n\n');
    await succeed(world, 'data: 1\n\ndata: 2\n\ndata: [DONE]\n\n', true);
    owner.spool.end(utf8('data: [DONE]\n\n'));
    await clock.pass(600);
    expect([await world.shown(), run.spool.finished]).toEqual([
      'data: 1\n\ndata: 2\n\ndata: [DONE]\n\n',
      { kind: 'whole' },
    ]);
  });

  it('I-6, E-2: a stream of which nothing has come but its head is none: its failure is told as one', async () => {
    const world = await pair({ stream: true });
    await world.leading.startAttempt({ ref, round: 1, no: 1, attemptId: 'r1$1', target: 'm#c', at: 0 });
    world.owner.spool.open(200, ['content-type', 'text/event-stream']);
    await world.clock.pass(100);
    expect([world.run.spool.headersSent, await world.run.planned]).toEqual([false, ['m']]);
    const error = gatewayError('store_unavailable', 'the ledger is away');
    world.owner.refuse({ error, exhausted: false, release: false });
    await world.clock.pass(600);
    expect(world.run.spool.finished).toEqual({ kind: 'error', error, attempts: 0 });
  });

  it('I-6: where no word passes between processes it is all the same, a little later', async () => {
    const hub = new JoinHub();
    hub.tells = false;
    const world = await pair({ stream: true, hub });
    world.owner.spool.open(200, []);
    world.owner.spool.write(utf8('data: 1\n\n'));
    await world.clock.pass(600);
    expect(await world.shown()).toBe('data: 1\n\n');
    await succeed(world, 'data: 1\n\ndata: [DONE]\n\n', true);
    await world.clock.pass(600);
    expect(await world.shown()).toBe('data: 1\n\ndata: [DONE]\n\n');
  });

  it('I-11: what was shown and is no beginning of the stored answer breaks off', async () => {
    const world = await pair({ stream: true });
    world.owner.spool.open(200, []);
    world.owner.spool.write(utf8('data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'));
    await world.clock.pass(100);
    await succeed(world, 'data: other\n\ndata: [DONE]\n\n', true);
    await world.clock.pass(600);
    const { finished } = world.run.spool;
    if (finished?.kind !== 'error') throw new Error('not broken off');
    expect(finished.error.code).toBe('stream_interrupted');
    expect(text(finished.frame!('r9') as Uint8Array)).toContain('"request_id":"r9"');
    expect(world.run.digest).toBeNull();
  });

  it('I-6, E-2: its failure is told as its own client was told it', async () => {
    const world = await pair();
    const start = { ref, round: 1, no: 1, attemptId: 'r1$1', target: 'm#c', at: 0 };
    await world.leading.startAttempt(start);
    const attempts = [{ model: 'm', status: 'failed', reason: 'timeout', latency_ms: 5 }] as const;
    const error = gatewayError('all_models_failed', 'all failed', { attempts, retryAt: 99, shouldRetry: true });
    world.owner.refuse({ error, exhausted: false, release: false });
    await world.clock.pass(600);
    expect(world.run.spool.finished).toEqual({ kind: 'error', error, attempts: 1 });
    expect(world.run.state).toBe('failed');
  });

  it('I-8: one that ended before anything was sent concerns nobody else: they look again', async () => {
    const world = await pair();
    world.owner.refuse({ error: gatewayError('rate_limited', 'slow'), exhausted: false, release: true });
    await world.clock.pass(600);
    await world.run.abandoned;
    expect([world.run.isLeft, world.run.spool.finished]).toEqual([true, null]);
    expect(await world.here.find(ask, 'r3')).toMatchObject({ kind: 'owner', run: { own: { requestId: 'r3' } } });
  });

  it('I-8, T-4: one whose process is gone breaks off where something was shown, in the stream’s own words', async () => {
    const world = await pair({ stream: true, codec: responsesCodec });
    await world.leading.startAttempt({ ref, round: 1, no: 1, attemptId: 'r1$1', target: 'm#c', at: 0 });
    world.owner.spool.open(200, []);
    const response = { id: 'resp_7', object: 'response', status: 'in_progress', output: [] };
    const created = { type: 'response.created', sequence_number: 0, response };
    world.owner.spool.write(utf8(`event: response.created\ndata: ${JSON.stringify(created)}\n\n`));
    await world.clock.pass(100);
    const error = gatewayError('gateway_restarted', 'restarted');
    world.owner.fail({ error, exhausted: false, release: false });
    await world.clock.pass(600);
    const { finished } = world.run.spool;
    if (finished?.kind !== 'error') throw new Error('not broken off');
    const said = text(finished.frame!('r9') as Uint8Array);
    expect([finished.error.code, said.includes('resp_7'), said.includes('"sequence_number":1')]).toEqual([
      'gateway_restarted',
      true,
      true,
    ]);
  });

  it('I-9: its own client leaves, and it goes on for those elsewhere; when they leave too, it ends', async () => {
    const world = await pair();
    let gone = 0;
    const leader = new Waiting();
    world.owner.spool.add(leader);
    world.owner.spool.onGone(() => {
      gone += 1;
    });
    await world.clock.pass(10);
    expect(world.owner.spool.readers).toBe(3);
    for (const reader of [leader]) world.owner.spool.remove(reader);
    expect(gone).toBe(0);
    world.run.spool.remove(world.reader);
    world.run.passedBy();
    await world.clock.pass(10);
    // The first reader of `pair` and nobody else.
    expect([world.owner.spool.readers, world.hub.joined]).toEqual([1, []]);
  });

  it('I-6: everybody here follows it once', async () => {
    const world = await pair();
    const again = await world.here.find(ask, 'r3');
    expect(again).toMatchObject({ kind: 'running' });
    expect('run' in again && again.run).toBe(world.run);
    const other = world.here.find({ ...ask, fingerprint: 'g' }, 'r4');
    await world.clock.pass(300);
    expect((await other).kind).toBe('reused');
    expect(world.hub.joined).toHaveLength(1);
  });

  it('I-5: a key that a caller’s fault frees elsewhere in this moment is free, and no other request’s', async () => {
    const { clock, here, owner } = await pair();
    const kinds: string[] = [];
    void here.find({ ...ask, fingerprint: 'g' }, 'r4').then(({ kind }) => kinds.push(kind));
    await clock.pass(20);
    expect(kinds).toEqual([]);
    const error = gatewayError('invalid_parameter', 'no such parameter');
    owner.refuse({ error, exhausted: false, release: true });
    await clock.pass(300);
    expect(kinds).toEqual(['owner']);
  });

  it('I-8: a process that has lost its lease sends nothing more and ends nothing well', async () => {
    const world = await pair();
    let stopped = 0;
    world.owner.stop = () => {
      stopped += 1;
    };
    const runs = new KeyedRuns({
      store: world.leading,
      clock: world.clock,
      folder: '',
      reportBug: () => undefined,
    });
    const other = await runs.find({ ...ask, ref: { ...ref, keyHash: 'cd' }, id: 'cd key:a chat' }, 'r5');
    if (other.kind !== 'owner') throw new Error('not the owner');
    other.run.stop = () => {
      stopped += 1;
    };
    runs.loseAll();
    expect([stopped, other.run.spool.finished]).toMatchObject([1, { error: { code: 'gateway_restarted' } }]);
  });
});
