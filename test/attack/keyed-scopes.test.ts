/** Idempotency keys as a way to somebody else's answer: other keys, names used again, shared scopes, other spellings. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import { runsAlone } from '../faults/gateway.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { errorOf } from '../faults/invariants.ts';
import type { RawAnswer } from '../faults/raw-client.ts';
import { jsonOf, MESSAGES, withRules } from '../rules/rules-rig.ts';
import { rawChat, startAttackRig, until } from './attack-rig.ts';
import { http, okAnswer } from './raw-upstream.ts';

/** What asks a gateway for its parts. */
const alone = it.runIf(runsAlone());
const key = (name = 'k') => ({ headers: { 'idempotency-key': name } });
const slow = (text: string, ms: number) => ({ ...okBody(text), delay_ms: ms });

describe('I-1, I-4: whose answer it is', () => {
  it('I-1: a key that gets the name of one that is gone gets none of its answers', async () => {
    const rig = await startAttackRig([({ no, socket }) => void socket.write(http(200, okAnswer(`answer ${no}`)))]);
    try {
      const first = await rig.ask({}, key());
      await rig.reload((config) => {
        config['keys'] = [{ name: 'test', workspace: 'main', secret: 'another-secret-0123456789' }];
      });
      const headers = { authorization: 'Bearer another-secret-0123456789', 'idempotency-key': 'k' };
      const other = await rig.ask({}, { headers });
      expect([other.status, other.headers['idempotent-replayed']]).toEqual([200, undefined]);
      expect(other.text).not.toBe(first.text);
      // Nor does it hear that the key stands for anything.
      const third = await rig.ask({ seed: 1 }, { headers: { ...headers, 'idempotency-key': 'other' } });
      expect(third.status).toBe(200);
    } finally {
      await rig.close();
    }
  });

  it('I-1: a key whose other fields change keeps its answers', async () => {
    const rig = await startAttackRig([({ socket }) => void socket.write(http(200, okAnswer('a')))]);
    try {
      await rig.ask({}, key());
      await rig.reload((config) => {
        config['keys'] = [{ name: 'test', workspace: 'main', secret: CLIENT_KEY, limits: { rpm: 100 } }];
      });
      expect((await rig.ask({}, key())).headers['idempotent-replayed']).toBe('true');
    } finally {
      await rig.close();
    }
  });

  it('I-4, G-9: a revoked key gets no replay', async () => {
    const rig = await startAttackRig([({ socket }) => void socket.write(http(200, okAnswer('a')))]);
    try {
      await rig.ask({}, key());
      await rig.reload((config) => {
        config['keys'] = [{ name: 'else', workspace: 'main', secret: 'another-secret-0123456789' }];
      });
      const answer = await rig.ask({}, key());
      expect([answer.status, errorOf(answer)['code']]).toEqual([401, 'invalid_api_key']);
    } finally {
      await rig.close();
    }
  });
});

describe('I-1, G-3: a workspace shares its keys', () => {
  const over = {
    workspaces: { default: { idempotency_scope: 'workspace' } },
    keys: [
      { name: 'all', secret: 'key-all-0123456789', models: ['*'] },
      { name: 'some', secret: 'key-some-0123456789', models: ['other'] },
      { name: 'few', secret: 'key-few-0123456789', models: ['*'], limits: { rpm: 1 } },
      { name: 'mine', secret: 'key-mine-0123456789', models: ['m'] },
      { name: 'wide', secret: 'key-wide-0123456789', failover_defaults: { models: ['m', 'other'] } },
    ],
    answers: { sorry: { text: 'Sorry.' } },
  };
  const routes = (step: Step) => ({ m: { up: { A: [step] } }, other: { up: { A: [okBody('o')] } } });

  it('G-3: a crowd that asks at once: whoever may not call the model gets nothing of it, as joiner or as first', async () => {
    await withRules(
      routes(slow('secret of m', 200)),
      async (rig) => {
        for (let turn = 0; turn < 5; turn += 1) {
          const clients = ['key-all-0123456789', 'key-some-0123456789', 'key-some-0123456789', 'key-all-0123456789'];
          const from = turn % clients.length;
          const order = [...clients.slice(from), ...clients.slice(0, from)];
          const answers = await Promise.all(
            order.map((client) => rig.ask('m', {}, { ...key(`k${turn}`), key: client })),
          );
          for (const [at, client] of order.entries()) {
            const { status, text } = answers[at]!;
            const expected = client.includes('some') ? 403 : 200;
            expect([turn, client, status]).toEqual([turn, client, expected]);
            if (expected === 403) expect(text).not.toContain('secret of m');
          }
        }
      },
      { over },
    );
  });

  // Who comes first runs it: over several gateways nobody knows who that is.
  alone('G-3: nor what only the chain of whoever runs it reaches', async () => {
    const routes = {
      m: { up: { A: [{ ...errorStep(503, { message: 'down' }), delay_ms: 100 }] } },
      other: { up: { A: [slow('secret of other', 100)] } },
    };
    await withRules(
      routes,
      async (rig) => {
        const clients = ['key-wide-0123456789', 'key-mine-0123456789', 'key-mine-0123456789'];
        const [wide, ...mine] = await Promise.all(clients.map((client) => rig.ask('m', {}, { ...key(), key: client })));
        expect(wide!.text).toContain('secret of other');
        for (const { status, text } of mine) {
          expect([status, text.includes('model_not_allowed'), text.includes('secret')]).toEqual([403, true, false]);
        }
      },
      { over },
    );
  });

  alone('I-6, G-11: another key’s limits are not those of whoever joined it', async () => {
    await withRules(
      routes(okBody('a')),
      async (rig) => {
        const path = '/v1/chat/completions?';
        const first = await rig.ask('m', {}, { ...key('first'), key: 'key-few-0123456789', path });
        const { store } = rig.gateway.inside.keyed;
        const claim = store.claim.bind(store);
        let joiner: Promise<RawAnswer> | null = null;
        store.claim = async (asked) => {
          store.claim = claim;
          joiner = rig.ask('m', {}, { ...key(), key: 'key-all-0123456789', path });
          await until(() => rig.gateway.inside.live.size === 2, 'the other is there');
          return claim(asked);
        };
        const refused = await rig.ask('m', {}, { ...key(), key: 'key-few-0123456789', path });
        expect([first, refused, await joiner].map((answer) => answer?.status)).toEqual([200, 429, 200]);
        expect(rig.called()).toHaveLength(2);
      },
      { over },
    );
  });

  it('I-4, E-4: a stand-in that no model said is replayed to whoever asked for it', async () => {
    await withRules(
      routes(errorStep(503, { message: 'down' })),
      async (rig) => {
        const fields = { redundancy: { retries: 0, on_exhausted: [{ default: 'sorry' }] } };
        const client = { ...key(), key: 'key-mine-0123456789' };
        const first = await rig.ask('m', fields, client);
        const again = await rig.ask('m', fields, client);
        expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
        expect(again.headers['idempotent-replayed']).toBe('true');
      },
      { over },
    );
  });
});

describe('I-1: spellings', () => {
  it('I-1: several Idempotency-Key headers are none that can be used', async () => {
    const rig = await startAttackRig([({ socket }) => void socket.write(http(200, okAnswer('a')))]);
    try {
      for (const second of ['Idempotency-Key: b', 'idempotency-key: a', 'IDEMPOTENCY-KEY:']) {
        const connection = await rig.open();
        connection.socket.write(rawChat({}, ['idempotency-key: a', second]));
        await until(() => connection.text().includes('invalid_idempotency_key'), 'the refusal');
        expect(connection.text()).toMatch(/^HTTP\/1.1 400 /);
        connection.socket.destroy();
      }
      expect(rig.ups[0]!.calls).toHaveLength(0);
    } finally {
      await rig.close();
    }
  });

  it('I-1: 255 characters of any visible kind are one key, case and punctuation counting', async () => {
    await withRules({ m: { up: { A: [okBody('a')] } } }, async (rig) => {
      const names = ['a,b', 'A,b', '"a"', `${'~!'.repeat(127)}x`, '../../etc', "';DROP--", '%00', '\\u0000'];
      for (const name of names)
        expect((await rig.ask('m', {}, key(name))).headers['idempotent-replayed']).toBeUndefined();
      for (const name of names) expect((await rig.ask('m', {}, key(name))).headers['idempotent-replayed']).toBe('true');
      expect(rig.called()).toHaveLength(names.length);
    });
  });

  it('I-1, I-5: a path’s alias, a query and a packed body are the same request; the classic endpoint is another', async () => {
    await withRules({ m: { up: { A: [okBody('a')] } } }, async (rig) => {
      const first = await rig.ask('m', {}, key());
      const packed = gzipSync(JSON.stringify({ model: 'm', messages: MESSAGES }));
      const same = [
        await rig.ask('m', {}, { ...key(), path: '/openai/v1/chat/completions' }),
        await rig.ask('m', {}, { ...key(), path: '/v1/chat/completions?a=b' }),
        await rig.post('', { body: packed, headers: { 'idempotency-key': 'k', 'content-encoding': 'gzip' } }),
      ];
      for (const answer of same)
        expect([answer.headers['idempotent-replayed'], answer.text]).toEqual(['true', first.text]);
      const classic = await rig.ask('m', {}, { ...key(), path: '/chat/completions' });
      expect([classic.headers['idempotent-replayed'], jsonOf(classic)['success']]).toEqual([undefined, true]);
      const again = await rig.ask('m', {}, { ...key(), path: '/chat/completions' });
      expect([again.headers['idempotent-replayed'], again.text]).toEqual(['true', classic.text]);
      expect(rig.called()).toHaveLength(2);
    });
  });

  it('I-1: HEAD, GET, an empty body and a broken one claim nothing', async () => {
    await withRules({ m: { up: { A: [okBody('a')] } } }, async (rig) => {
      const statuses = [];
      for (const method of ['HEAD', 'GET']) {
        statuses.push((await rig.get('/v1/chat/completions', { ...key().headers, method })).status);
      }
      for (const body of ['', '{', '[]', '{"model":"m","model":"n"}'])
        statuses.push((await rig.post(body, key())).status);
      expect(statuses).toEqual([405, 405, 400, 400, 400, 400]);
      for await (const _ of rig.gateway.inside.keyed.store.keys()) throw new Error('a key was claimed');
      expect((await rig.ask('m', {}, key())).status).toBe(200);
    });
  });
});
