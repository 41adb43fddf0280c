/** What a gateway may have left in its store, and how it is found again by one of a later version. */
import { expect } from 'vitest';
import type { StateStores } from '../../../src/adapters/store-sql/state-stores.ts';
import type { JobRoom } from '../../../src/ports/job-store.ts';
import { BY_CONFIGURATION } from '../../../src/ports/ledger.ts';
import { answerOf, claimOf, FAILURE, HOUR, keysOf, refOf, T0 } from '../ledger-samples.ts';

const ROOM: JobRoom = { open: 10, openOfKey: 10, bytes: 1_000_000, bytesOfKey: 1_000_000 };
const KEPT = { scope: 'key:dev chat', fingerprint: 'f1' };

const SESSION = {
  idHash: 'b'.repeat(64),
  person: 'member mia',
  tokenHash: 'c'.repeat(64),
  csrfToken: 'csrf',
  openedAt: T0,
  usedAt: T0,
  expiresAt: T0 + HOUR,
};

/** Writes it all by today's stores, as the process `p1`, which then dies with a key, a reservation and a job in its hands. */
export async function leave(stores: StateStores): Promise<void> {
  const { objects, ledger, idempotency, jobs, kept, bound, periods } = stores;
  await objects.change([{ kind: 'workspace', name: 'acme', body: { note: 'ü' }, expectedVersion: 0, by: 'admin' }], T0);
  await ledger.open();
  const entry = { workspace: 'acme', kind: 'grant', amount: 9_007_199_254_740_993n, at: T0, note: null } as const;
  await ledger.add({ ...entry, by: BY_CONFIGURATION }, 0n);
  for (const attemptId of ['att_paid', 'att_open'])
    await ledger.reserve({ attemptId, workspace: 'acme', amount: 10n, at: T0 });
  ledger.settle('att_paid', 7n, T0, 'acme');
  for (const key of ['done', 'failed', 'running']) {
    const start = { round: 1, no: 1, attemptId: `att_${key}`, target: 'm#c', at: T0 + 1 };
    await idempotency.claim(claimOf(key));
    await idempotency.startAttempt({ ref: refOf(key), ...start });
  }
  const round = { round: 1, requestId: 'req_1' };
  await idempotency.succeed({ ref: refOf('done'), ...round, attemptId: 'att_done', answer: answerOf('kept') });
  idempotency.endAttempt({
    ref: refOf('failed'),
    attemptId: 'att_failed',
    result: 'failed',
    maybeExecuted: false,
    at: T0,
  });
  await idempotency.fail({ ref: refOf('failed'), round: 1, state: 'failed', failure: FAILURE, release: false });
  const order = { path: '/v1/chat/completions', headers: {}, body: Buffer.from('{}') };
  const job = {
    workspace: 'acme',
    key: 'dev',
    keyHash: 'aaaaaaaaaaaaaaaa',
    requestId: 'req_1',
    maxTries: 3,
    strict: false,
    order,
  };
  const times = { at: T0, dueAt: T0, expiresAt: T0 + HOUR };
  for (const id of ['job_waits', 'job_runs']) {
    await jobs.add({ ...job, ...times, id, ref: id, costLeft: 12_345_678_901_234_567_890n }, ROOM);
    await jobs.release(id);
  }
  await jobs.begin('job_runs', T0);
  const answer = {
    body: Buffer.from('earlier'),
    stream: false,
    servedModel: 'm',
    degradedReasons: [],
    requestId: 'req_1',
  };
  kept.keep({ ...answer, at: T0, ref: KEPT, workspace: 'acme', expiresAt: T0 + HOUR, maxBytes: 10_000 });
  await bound.note(
    [{ workspace: 'acme', id: 'video_1', model: 'm', channel: 'c', credential: null, at: T0, expiresAt: T0 + HOUR }],
    'now',
  );
  await periods.add([
    { kind: 'key', id: 'dev', period: 'day', start: T0, requests: 3, tokens: 40, spend: 5n, told: 1 },
  ]);
  await stores.sessions.open(SESSION, 20);
  await stores.settle();
}

/** What a store has had for how long, as the number of its schema. */
export interface Since {
  readonly keys: number;
  readonly ladder: number;
  readonly bound: number;
  readonly sessions: number;
}

/** Everything that a store of schema `no` could hold is there, and goes on from where it was. */
export async function expectFound(stores: StateStores, no: number, since: Since): Promise<void> {
  const { objects, ledger, idempotency, jobs, kept, bound, periods } = stores;
  expect((await objects.load()).map(({ kind, name, body }) => [kind, name, body])).toEqual([
    ['workspace', 'acme', { note: 'ü' }],
  ]);
  if (no >= since.keys) {
    expect(await idempotency.recover(T0 + HOUR)).toEqual({ closed: 1 });
    expect((await keysOf(idempotency)).map(({ row }) => row.state).sort()).toEqual(['failed', 'failed', 'succeeded']);
    const replay = await idempotency.claim(claimOf('done', { requestId: 'req_2' }));
    expect(replay).toMatchObject({ kind: 'succeeded', answer: { body: Buffer.from('kept') } });
    const again = await idempotency.claim(claimOf('running', { requestId: 'req_2' }));
    expect(again).toEqual({ kind: 'owner', round: 2, attemptsBefore: 1 });
    expect((await idempotency.claim(claimOf('failed', { requestId: 'req_2' }))).kind).toBe('owner');
  }
  const { accounts, released } = await ledger.open();
  expect(released + (await ledger.release(T0 + HOUR))).toBe(1);
  const granted = 9_007_199_254_740_993n;
  expect(accounts.get('acme')).toMatchObject({ balance: granted - 7n, granted });
  expect((await ledger.entries('acme', 10)).data.map(({ kind }) => kind)).toEqual(['charge', 'grant']);
  const rows = await periods.load(T0);
  expect(rows).toEqual([
    { kind: 'key', id: 'dev', period: 'day', start: T0, requests: 3, tokens: 40, spend: 5n, told: 1 },
  ]);
  if (no >= since.ladder) {
    const { due, orphans } = await jobs.due(T0 + 1, 10);
    expect([due.map(({ id }) => id), orphans.map(({ id, tries }) => [id, tries])]).toEqual([
      ['job_waits'],
      [['job_runs', 1]],
    ]);
    expect((await jobs.begin('job_waits', T0 + 1))?.order?.body).toEqual(Buffer.from('{}'));
    expect((await jobs.find('job_waits'))?.costLeft).toBe(12_345_678_901_234_567_890n);
    expect((await kept.newest(KEPT, T0, T0 + 1))?.body).toEqual(Buffer.from('earlier'));
  }
  if (no >= since.bound)
    expect(await bound.find('acme', 'video_1', T0 + 1)).toEqual({ model: 'm', channel: 'c', credential: null });
  if (no >= since.sessions) expect(await stores.sessions.find(SESSION.idHash, T0 + 1)).toEqual(SESSION);
  // And it goes on.
  expect(await ledger.reserve({ attemptId: 'att_new', workspace: 'acme', amount: 1n, at: T0 })).toBe('ok');
  expect((await idempotency.claim(claimOf('new'))).kind).toBe('owner');
  await stores.settle();
}
