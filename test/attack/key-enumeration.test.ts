/**
 * Guessing keys: nothing the gateway answers, and no step it takes, depends on how much of a guess is right. Steps are
 * counted, not timed: a clock would only show what the machine was busy with.
 */
import type { IncomingMessage } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import type { KeyEntry } from '../../src/config/snapshot.ts';
import { authenticate } from '../../src/runtime/authenticate.ts';
import { adminCaller } from '../../src/server/admin/admin-caller.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { ADMIN_TOKEN, type AttackRig, startAttackRig } from './attack-rig.ts';
import { http, okAnswer } from './raw-upstream.ts';

let rig: AttackRig;
afterEach(() => rig.close());

const start = () => startAttackRig([({ socket }) => void socket.write(http(200, okAnswer('hi')))]);

/** Nothing right, a bit of it, all but the last character, and more than all of it. */
const guesses = (right: string): string[] => [
  'x'.repeat(right.length),
  right.slice(0, 3),
  `${right.slice(0, -1)}!`,
  `${right}0`,
  right.toUpperCase(),
];

/** A table that notes what it is asked for. */
class Watched<V> extends Map<string, V> {
  readonly asked: string[] = [];
  override get(name: string): V | undefined {
    this.asked.push(name);
    return super.get(name);
  }
}

it('G-9: a client key is looked up once, by its hash alone, however near the guess', async () => {
  rig = await start();
  const snapshot = rig.running.gateway.snapshot();
  for (const guess of guesses(CLIENT_KEY)) {
    const keys = new Watched<KeyEntry>(snapshot.keys);
    const request = { headers: { authorization: `Bearer ${guess}` }, url: '/v1/chat/completions' };
    const answer = authenticate(request as unknown as IncomingMessage, { ...snapshot, keys }, 0);
    expect([guess, answer.ok, keys.asked.length]).toEqual([guess, false, 1]);
    expect(keys.asked[0]).toMatch(/^[0-9a-f]{64}$/);
  }
});

it('G-9: an administrator’s token likewise: one look at each door, whatever the guess', async () => {
  rig = await start();
  const { members, keys, adminTokenHash } = rig.running.gateway.snapshot();
  for (const guess of guesses(ADMIN_TOKEN)) {
    const doors = { adminTokenHash, members: new Watched(members), keys: new Watched(keys) };
    expect(() => adminCaller(doors, `Bearer ${guess}`, 0)).toThrow();
    expect([guess, doors.members.asked.length]).toEqual([guess, 1]);
    expect(doors.members.asked[0]).toMatch(/^[0-9a-f]{64}$/);
  }
});

it('G-9, E-5: every wrong key gets the same answer, to the letter', async () => {
  rig = await start();
  const seen = new Set<string>();
  for (const guess of guesses(CLIENT_KEY)) {
    const { status, text, headers } = await rig.ask({}, { headers: { authorization: `Bearer ${guess}` } });
    const names = Object.keys(headers).sort().join();
    seen.add(`${status} ${names} ${text.replaceAll(/req_[A-Za-z0-9_-]+/g, 'ID')}`);
  }
  expect(seen.size).toBe(1);
  expect([...seen][0]).toMatch(/^401 .*invalid_api_key/);
});
