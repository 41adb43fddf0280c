/** Streams of every client dialect, its upstream speaking the same: what is shown when, and how they end (T). */
import { describe, expect, it } from 'vitest';
import type { RawAnswer } from '../faults/raw-client.ts';
import {
  type AskOptions,
  ask,
  CLIENTS,
  type Client,
  codeOf,
  eventsOf,
  looksWhole,
  reportIn,
  streamedBy,
  withDialects,
} from './dialects-rig.ts';
import type { RulesRig } from './rules-rig.ts';

/** The dialects, and the other form that one of them has. */
const FORMS: readonly (readonly [name: string, client: Client, options: AskOptions])[] = [
  ...CLIENTS.map((client) => [client, client, { stream: true }] as const),
  ['gemini as an array', 'gemini', { stream: true, array: true }],
];

/** A model whose first channel behaves so, and whose second is well. */
const route = (behaviour: string) => ({
  up: {},
  channels: [
    { up: 'A', model: behaviour },
    { up: 'B', model: 'ok' },
  ],
});
const alone = (behaviour: string) => ({ up: {}, channels: [{ up: 'A', model: behaviour }] });

const lastEvent = (answer: RawAnswer) => eventsOf(answer).at(-1)!;

/** What ends a stream that broke off: our code, our id, and nothing that looks like a good end. */
function expectBroken(answer: RawAnswer, client: Client, array: boolean, code: string): void {
  expect(looksWhole(client, answer)).toBe(false);
  if (array && answer.end !== 'complete') return;
  const { data, name } = lastEvent(answer);
  expect(codeOf(data)).toBe(code);
  expect(JSON.stringify(data)).toContain(answer.headers['x-request-id']);
  if (client === 'messages') expect(name).toBe('event' in data ? name : 'error');
  if (client === 'gemini') expect((data['error'] as { code: unknown }).code).toBeTypeOf('number');
}

describe.each(FORMS)('streams of %s', (_name, client, options) => {
  const stream = (rig: RulesRig, model: string, more: AskOptions = {}) =>
    ask(rig, client, model, { ...options, ...more });
  const array = options.array === true;

  it.each(['fail-503', 'error', 'garbage', 'html', 'reset', 'cut-0'])(
    'T-1, T-2: %s before any content is a failure like any other, and nobody sees it',
    async (behaviour) => {
      await withDialects({ m: route(behaviour) }, async (rig) => {
        const answer = await stream(rig, 'm');
        expect([answer.status, looksWhole(client, answer)]).toEqual([200, true]);
        expect(answer.headers['x-understudy-attempts']).toBe('2');
        expect(rig.called().at(-1)).toBe('B:ok');
        expect(streamedBy(client, answer)).not.toBe('');
        expect(answer.headers['content-type']).toMatch(array ? /^application\/json/ : /^text\/event-stream/);
      });
    },
  );

  it.each(['cut-3', 'reset-3', 'error-3', 'garbage-3', 'no-finish'])(
    'T-4, T-10: after content %s is told, and never made to look like an end',
    async (behaviour) => {
      await withDialects({ m: route(behaviour) }, async (rig) => {
        const answer = await stream(rig, 'm');
        expect(answer.status).toBe(200);
        // T-5: Chat's terminator is relayed without its reason, and the answer is not trusted.
        if (client === 'chat' && behaviour === 'no-finish') {
          expect((await rig.record(answer)).attempts[0]!.suspicious).toBe(true);
          return;
        }
        expectBroken(answer, client, array, 'stream_interrupted');
        if (array) expect(answer.end).toBe('cut');
        expect(rig.called()).toEqual([`A:${behaviour}`]);
        const record = await rig.record(answer);
        expect([record.ending, record.attempts[0]!.result]).toEqual(['interrupted', 'interrupted']);
      });
    },
  );

  it('T-5: a stream that lost nothing but its terminator is whole', async () => {
    await withDialects({ m: alone('no-done') }, async (rig) => {
      const answer = await stream(rig, 'm');
      // In Responses the terminator is what says that it is finished.
      expect(looksWhole(client, answer)).toBe(client !== 'responses');
    });
  });

  it('T-9: under commit: complete a cut fails over unseen', async () => {
    await withDialects({ m: route('cut-3') }, async (rig) => {
      const answer = await stream(rig, 'm', { fields: { redundancy: { commit: 'complete' } } });
      expect([looksWhole(client, answer), rig.called()]).toEqual([true, ['A:cut-3', 'B:ok']]);
    });
  });

  it('T-11, R-2: keep-alives in the dialect’s own form; the report says what headers can not', async () => {
    const streaming = { keep_alive_after_ms: 30, keep_alive_every_ms: 60 };
    await withDialects(
      { m: alone('slow-400') },
      async (rig) => {
        const answer = await stream(rig, 'm');
        const first = answer.reads[0]!.bytes.toString();
        const forms = { chat: /^: .*\n\n$/, responses: /^: .*\n\n$/, messages: /^event: ping\n/, gemini: /^: .*\n\n$/ };
        expect(first).toMatch(array ? /^\s+$/ : forms[client]);
        expect([answer.status, looksWhole(client, answer)]).toEqual([200, true]);
        expect(answer.headers['x-understudy-attempts']).toBeUndefined();
        expect(reportIn(answer)).toMatchObject({ attempts: 1, served_model: 'm', degraded: false });
      },
      { streaming },
    );
  });

  it('T-11: a failure after keep-alives is one error event, no terminator', async () => {
    const streaming = { keep_alive_after_ms: 30, keep_alive_every_ms: 60 };
    await withDialects(
      { m: { up: { A: [{ delay_ms: 300, status: 503 }] } } },
      async (rig) => {
        const answer = await stream(rig, 'm');
        expect(answer.status).toBe(200);
        expectBroken(answer, client, array, String(codeOf(lastEvent(answer).data)));
        expect(codeOf(lastEvent(answer).data)).toBeTypeOf('string');
        expect((await rig.record(answer)).ending).toBe('failed');
      },
      { streaming },
    );
  });

  it('R-1, R-2, R-3: another model of the chain is named in header, body and report', async () => {
    await withDialects({ m: alone('fail-503'), n: alone('ok') }, async (rig) => {
      const answer = await stream(rig, 'm', { fields: { fallback_models: ['n'] } });
      expect(looksWhole(client, answer)).toBe(true);
      expect(answer.headers).toMatchObject({ 'x-understudy-served-model': 'n', 'x-understudy-degraded': 'true' });
      expect(reportIn(answer)).toMatchObject({
        request_id: answer.headers['x-request-id'],
        requested_model: 'm',
        served_model: 'n',
        failover: { occurred: true },
      });
      expect(answer.text).toMatch(/"model(?:Version)?":"n"/);
      expect(answer.text).not.toMatch(/"model(?:Version)?":"ok"/);
    });
  });

  it('I-4: replayed under a key, byte for byte, as the stream it was', async () => {
    await withDialects({ m: alone('ok') }, async (rig) => {
      const headers = { 'idempotency-key': 'k1' };
      const first = await stream(rig, 'm', { headers });
      const again = await stream(rig, 'm', { headers });
      expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
      expect(again.headers['content-type']).toBe(first.headers['content-type']);
      expect(again.headers['x-understudy-original-request-id']).toBe(first.headers['x-request-id']);
      expect([looksWhole(client, again), rig.called()]).toEqual([true, ['A:ok']]);
    });
  });

  it('I-6, T-4: who joins gets the same from the start, a break told under his own id', async () => {
    await withDialects({ good: alone('drip-40'), bad: route('cut-3') }, async (rig) => {
      const both = (model: string, key: string) =>
        Promise.all([1, 2].map(() => stream(rig, model, { headers: { 'idempotency-key': key } })));
      const [a, b] = await both('good', 'k1');
      expect([looksWhole(client, a!), b!.text]).toEqual([true, a!.text]);
      const broken = await both('bad', 'k2');
      for (const answer of broken) expectBroken(answer, client, array, 'stream_interrupted');
      expect(rig.called()).toEqual(['A:drip-40', 'A:cut-3']);
    });
  });
});

/** What an upstream sends that knows more than anybody here, by lines. The model bears its public name already. */
const UNHEARD_OF = '"x_new":{"b":9007199254740993,"a":[1.0,-0,"\\u00e9é"]}';
const events = (...list: readonly (readonly [name: string | null, json: string])[]): string =>
  list.map(([name, json]) => `${name === null ? '' : `event: ${name}\n`}data: ${json}\n\n`).join('');
const typed = (type: string, rest: string): [string, string] => [type, `{"type":"${type}",${rest}}`];
const chatChunk = (delta: string, finish: string): [null, string] => [
  null,
  `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m",${UNHEARD_OF},"choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}`,
];
const candidate = (rest: string): [null, string] => [
  null,
  `{"candidates":[{"content":{"parts":[{"text":"hi",${UNHEARD_OF}}],"role":"model"},"index":0${rest}}],"modelVersion":"m"}`,
];
const item = '"id":"msg_1","type":"message","role":"assistant"';
const response = (status: string, output: string) =>
  `"response":{"id":"resp_1","object":"response","status":"${status}","model":"m",${UNHEARD_OF},"output":[${output}]}`;
const text = '{"type":"output_text","text":"hi","annotations":[]}';

const SENT: Readonly<Record<Client, string>> = {
  chat: `${events(chatChunk('{"role":"assistant","content":"hi"}', 'null'), chatChunk('{}', '"stop"'))}data: [DONE]\n\n`,
  responses: events(
    typed('response.created', `${response('in_progress', '')},"sequence_number":0`),
    typed('response.output_item.added', `"output_index":0,"item":{${item},"content":[]},"sequence_number":1`),
    typed(
      'response.content_part.added',
      `"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]},"sequence_number":2`,
    ),
    typed(
      'response.output_text.delta',
      `"item_id":"msg_1","output_index":0,"content_index":0,"delta":"hi",${UNHEARD_OF},"sequence_number":3`,
    ),
    typed('response.output_item.done', `"output_index":0,"item":{${item},"content":[${text}]},"sequence_number":4`),
    typed('response.completed', `${response('completed', `{${item},"content":[${text}]}`)},"sequence_number":5`),
  ),
  messages: events(
    typed(
      'message_start',
      `"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":0},${UNHEARD_OF}}`,
    ),
    typed('content_block_start', '"index":0,"content_block":{"type":"text","text":""}'),
    typed('content_block_delta', `"index":0,"delta":{"type":"text_delta","text":"hi"},${UNHEARD_OF}`),
    typed('x_unheard_of', '"index":0'),
    typed('content_block_stop', '"index":0'),
    typed('message_delta', '"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}'),
    ['message_stop', '{"type":"message_stop"}'],
  ),
  gemini: events(candidate(''), candidate(',"finishReason":"STOP"')),
};

describe('T-8', () => {
  it.each(CLIENTS)('T-8: what an upstream of the same dialect sends reaches %s byte for byte', async (client) => {
    const headers = { 'content-type': 'text/event-stream' };
    await withDialects({ m: { up: { A: [{ headers, chunks: [SENT[client]] }] } } }, async (rig) => {
      expect((await ask(rig, client, 'm', { stream: true })).text).toBe(SENT[client]);
    });
  });
});
