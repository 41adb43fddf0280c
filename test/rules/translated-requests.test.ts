/** What translating alone makes of a request: listed, and degrading only where it takes something away. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ask, CLIENTS, reportOf, withDialects } from './dialects-rig.ts';
import { jsonOf } from './rules-rig.ts';

const UPSTREAMS = ['chat', 'responses', 'messages', 'gemini', 'converse'] as const;
const PAIRS = CLIENTS.flatMap((client) => UPSTREAMS.map((upstream) => [client, upstream] as const));
const alone = (api: string, more: object = { max_output_tokens: 4096 }) => ({
  up: {},
  channels: [{ up: 'A', model: 'ok', more: { api, ...more } }],
});

describe.each(PAIRS)('%s over %s', (client, upstream) => {
  it('R-4, R-2: a plain request is not degraded, though a default be set where one is demanded', async () => {
    await withDialects({ m: alone(upstream) }, async (rig) => {
      const answer = await ask(rig, client, 'm');
      expect([answer.status, answer.headers['x-understudy-degraded']]).toEqual([200, 'false']);
      expect(reportOf(jsonOf(answer))).toBeUndefined();
      const record = await rig.record(answer);
      const sets = client !== 'messages' && upstream === 'messages';
      expect([record.degraded, record.attempts[0]!.changes]).toEqual([false, sets ? ['max_tokens set to 4096'] : []]);
    });
  });
});

it('R-4: what an entry asks to be changed degrades, in every dialect', async () => {
  for (const upstream of UPSTREAMS) {
    await withDialects({ m: alone(upstream) }, async (rig) => {
      const models = [{ model: 'm', degrade: { max_output_tokens: 20 } }];
      const answer = await ask(rig, 'chat', 'm', { fields: { models } });
      expect([answer.status, answer.headers['x-understudy-degraded']]).toEqual([200, 'true']);
    });
  }
});

it('R-4: a limit that is demanded and only guessed may cut the answer short: degraded', async () => {
  await withDialects({ m: alone('messages', {}) }, async (rig) => {
    const answer = await ask(rig, 'chat', 'm');
    expect([answer.status, answer.headers['x-understudy-degraded']]).toEqual([200, 'true']);
    expect((await rig.record(answer)).attempts[0]!.changes).toEqual(['max_tokens set to 8192']);
  });
});

it('R-4, G-9: a picture that the gateway fetched stands in the record, and takes nothing away', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const files = createServer((_, answer) => answer.setHeader('content-type', 'image/png').end(png));
  await new Promise<void>((done) => files.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}/a.png`;
  const content = [
    { type: 'text', text: 'what is it?' },
    { type: 'image_url', image_url: { url } },
  ];
  const routes = { m: alone('converse'), n: alone('responses') };
  const over = { network: { allow_private: ['127.0.0.1'] } };
  try {
    await withDialects(
      routes,
      async (rig) => {
        for (const [model, changes] of [
          ['m', ['files fetched']],
          ['n', []],
        ] as const) {
          const answer = await ask(rig, 'chat', model, { fields: { messages: [{ role: 'user', content }] } });
          expect([answer.status, answer.headers['x-understudy-degraded']]).toEqual([200, 'false']);
          expect((await rig.record(answer)).attempts[0]!.changes).toEqual(changes);
        }
      },
      { over },
    );
  } finally {
    files.close();
  }
});
