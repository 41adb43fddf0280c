/** R-5 where client and upstream speak the same: a 400 that rejects opaque reasoning is answered without it, once. */
import { describe, expect, it } from 'vitest';
import { REASONING_DROPPED, unwrapOpaque, wrapOpaque } from '../../src/dialects/cross/opaque-marks.ts';
import { ask, CLIENTS, codeOf, looksWhole, saidBy, streamedBy, withDialects } from './dialects-rig.ts';
import { jsonOf } from './rules-rig.ts';

type Json = Record<string, unknown>;

/** A conversation whose thought somebody has tampered with. */
const HISTORIES: Readonly<Record<'responses' | 'messages' | 'gemini', Json>> = {
  responses: {
    input: [
      { role: 'user', content: 'hi' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAtampered' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hello', annotations: [] }] },
      { role: 'user', content: 'again' },
    ],
  },
  messages: {
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'tampered' },
          { type: 'text', text: 'hello' },
        ],
      },
      { role: 'user', content: 'again' },
    ],
  },
  gemini: {
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ text: 'hello', thoughtSignature: 'dGFtcGVyZWQ=' }] },
      { role: 'user', parts: [{ text: 'again' }] },
    ],
  },
};
const DIALECTS = ['responses', 'messages', 'gemini'] as const;

describe.each(DIALECTS)('R-5: %s', (client) => {
  const fields = HISTORIES[client];

  it('R-5: made again without it, at the same target, as an attempt that says so', async () => {
    await withDialects({ m: { up: { A: [{}], B: [{}] } } }, async (rig) => {
      const answer = await ask(rig, client, 'm', { fields });
      expect([answer.status, answer.headers['x-understudy-attempts']]).toEqual([200, '2']);
      expect(saidBy(client, answer).length).toBeGreaterThan(0);
      // The simulator notes no model of a call that it could not read.
      expect(rig.called()).toEqual(['A:null', 'A:m']);
      const [first, second] = rig.bodies().map((body) => JSON.stringify(body));
      expect([/tampered|dGFtcGVyZWQ/.test(first!), /tampered|dGFtcGVyZWQ/.test(second!)]).toEqual([true, false]);
      const { attempts } = await rig.record(answer);
      expect(attempts.map(({ status, decision, class: failed }) => [status, decision, failed])).toEqual([
        [400, 'retry', 'invalid_request'],
        [200, 'serve', null],
      ]);
      expect(attempts[0]!.changes).toEqual([]);
      expect(attempts[1]!.changes).not.toEqual([]);
      expect(answer.headers['x-understudy-degraded']).toBe('true');
    });
  });

  it('R-5: of a stream too, before anything of it is shown', async () => {
    await withDialects({ m: { up: { A: [{}] } } }, async (rig) => {
      const answer = await ask(rig, client, 'm', { fields, stream: true });
      expect([answer.status, looksWhole(client, answer)]).toEqual([200, true]);
      expect(streamedBy(client, answer).length).toBeGreaterThan(0);
      expect(rig.called()).toEqual(['A:null', 'A:m']);
    });
  });

  it('D-4: not beyond max_attempts; then the upstream’s own words', async () => {
    await withDialects({ m: { up: { A: [{}] } } }, async (rig) => {
      const answer = await ask(rig, client, 'm', { fields: { ...fields, redundancy: { max_attempts: 1 } } });
      expect([answer.status, rig.called()]).toEqual([400, ['A:null']]);
      expect(codeOf(jsonOf(answer))).not.toBeUndefined();
    });
  });
});

it('R-5: a 400 for any other reason is no reason to change the request', async () => {
  await withDialects({ m: { up: { A: [{ status: 400 }] } } }, async (rig) => {
    for (const client of CLIENTS) expect((await ask(rig, client, 'm')).status).toBe(400);
    expect(rig.called()).toHaveLength(CLIENTS.length);
  });
});

/** State that comes back as another one, though its maker is named as before. */
function tampered(_key: string, value: unknown): unknown {
  const opaque = typeof value === 'string' ? unwrapOpaque(value) : null;
  return opaque === null ? value : wrapOpaque({ ...opaque, data: Buffer.from('tampered').toString('base64') }, '');
}

it.each(['messages', 'responses', 'gemini', 'converse'] as const)(
  'R-5: a Chat client’s thought goes back whole to %s; altered on the way, it is left out',
  async (api) => {
    const routes = { m: { up: {}, channels: [{ up: 'A', model: 'sealed', more: { api } }] } };
    await withDialects(routes, async (rig) => {
      const asking = { reasoning_effort: 'high' };
      const first = await ask(rig, 'chat', 'm', { fields: asking });
      const { message } = (jsonOf(first)['choices'] as { message: Json }[])[0]!;
      const say = (said: unknown) => {
        const messages = [{ role: 'user', content: 'hi' }, said, { role: 'user', content: 'again' }];
        return ask(rig, 'chat', 'm', { fields: { ...asking, messages } });
      };
      const whole = await say(message);
      expect([whole.status, whole.headers['x-understudy-attempts']]).toEqual([200, '1']);
      const altered = await say(JSON.parse(JSON.stringify(message), tampered));
      expect([altered.status, altered.headers['x-understudy-attempts']]).toEqual([200, '2']);
      const { attempts } = await rig.record(altered);
      expect(attempts.map(({ status, decision }) => [status, decision])).toEqual([
        [400, 'retry'],
        [200, 'serve'],
      ]);
      expect(attempts[0]!.changes).not.toContain(REASONING_DROPPED);
      expect(attempts[1]!.changes).toContain(REASONING_DROPPED);
    });
  },
);
