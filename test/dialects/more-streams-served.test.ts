/** Every kind of stream behind a whole gateway: who answers, how it ends for the client, and what the record says. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiOfDialect } from '../../src/config/apis.ts';
import { startTestGateway, type TestGateway } from '../faults/gateway.ts';
import { type RawAnswer, sendRaw } from '../faults/raw-client.ts';
import { native, OPTIONS, SPEAKERS, type Speaker } from './crossings.ts';
import type { Sample } from './samples/sample.ts';
import { bytesOf, SAMPLES } from './samples/samples.ts';

const KEY = 'usk-streams-client-key-0123456789abcdef';
const SECRET = 'AKIASIMULATOR001:SECRETOF/AKIASIMULATOR001';
const FRAMES = 'application/vnd.amazon.eventstream';
const RESCUE = [0, 1].map(
  (index) => `data: {"choices":[{"index":${index},"delta":{"content":"rescued"},"finish_reason":"stop"}]}\n\n`,
);

/** One model per sample and client: no cooldown of one request reaches another. */
function upstreamName(sample: Sample, speaker: Speaker): string {
  return `sample-${SAMPLES.indexOf(sample)}-${speaker.client.name}`;
}

const FAILING = SAMPLES.filter(({ verdict }) => verdict === 'failover');

let upstream: Server;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const asked = /sample-(\d+)-/.exec(`${request.url} ${body}`)?.[1];
      const sample = asked === undefined ? null : SAMPLES[Number(asked)]!;
      response.writeHead(200, { 'content-type': sample?.dialect === 'bedrock' ? FRAMES : 'text/event-stream' });
      const rescue = `${RESCUE.slice(0, /"n":2/.test(body) ? 2 : 1).join('')}data: [DONE]\n\n`;
      response.end(sample === null ? rescue : bytesOf(sample));
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const provider = { type: 'sim', base_url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` };
  const models = SAMPLES.flatMap((sample) =>
    SPEAKERS.map((speaker) => {
      const model = upstreamName(sample, speaker);
      const own = { id: 'a', provider: 'p-a', model, api: apiOfDialect(sample.dialect) };
      return [`v/${model}`, { channels: [own, { id: 'b', provider: 'p-b', model: 'rescue', api: 'chat' }] }] as const;
    }),
  );
  const alone = FAILING.flatMap((sample) =>
    SPEAKERS.map((speaker) => {
      const model = upstreamName(sample, speaker);
      const own = { id: 'a', provider: `p-${model}`, model, api: apiOfDialect(sample.dialect) };
      return { model, entry: { channels: [own] } };
    }),
  );
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      providers: {
        'p-a': provider,
        'p-b': provider,
        ...Object.fromEntries(alone.map(({ model }) => [`p-${model}`, provider])),
      },
      credentials: {
        a: { provider: 'p-a', secret: SECRET },
        b: { provider: 'p-b', secret: SECRET },
        ...Object.fromEntries(alone.map(({ model }) => [`c-${model}`, { provider: `p-${model}`, secret: SECRET }])),
      },
      models: Object.fromEntries([...models, ...alone.map(({ model, entry }) => [`alone/${model}`, entry])]),
      defaults: { redundancy: { retries: 0 } },
      workspaces: { main: {} },
      keys: [
        { name: 'streams', workspace: 'main', secret: KEY },
        // G-6: a key of which everything fails would be suspended.
        ...FAILING.map((_, at) => ({ name: `alone-${at}`, workspace: 'main', secret: `${KEY}-${at}` })),
      ],
      health: { circuit: { min_calls: 1_000_000, consecutive: 1_000_000 } },
    }),
  );
});

afterAll(async () => {
  await gateway.close();
  await new Promise((resolve) => upstream.close(resolve));
});

function ask(sample: Sample, { client }: Speaker, model: string, key = KEY): Promise<RawAnswer> {
  const asked = { model, text: 'hi', stream: true, ...(sample.n === undefined ? {} : { n: sample.n }) };
  return sendRaw({
    url: gateway.url + client.path(asked),
    method: 'POST',
    body: client.body(asked),
    headers: { authorization: `Bearer ${key}`, ...client.headers },
  });
}

// Only these two dialects can ask for several answers.
const speakersOf = ({ n }: Sample): readonly Speaker[] =>
  SPEAKERS.filter(({ client }) => n === undefined || client.name === 'chat' || client.name === 'generate');

describe.each(SAMPLES.map((sample) => ({ sample, title: sample.name })))('$title', ({ sample }) => {
  it.each(speakersOf(sample).map((speaker) => ({ speaker, name: speaker.client.name })))(
    'T-2, T-4, T-5, F-5: a client of $name gets an answer, another channel’s, or an error event',
    async ({ speaker }) => {
      const verdict = (speaker.codec.dialect === sample.dialect ? null : sample.crossed) ?? sample.verdict;
      const answer = await ask(sample, speaker, `v/${upstreamName(sample, speaker)}`);
      const record = await gateway.record(String(answer.headers['x-request-id']));
      const read = native(speaker, [answer.body], { ...OPTIONS, n: sample.n ?? 1 }).tap;
      const [first, ...others] = record.attempts.map(({ channel, result }) => `${channel} ${result}`);
      expect(answer.end).toBe('complete');
      if (verdict === 'failover') {
        expect([first, ...others]).toEqual(['a failed', 'b served']);
        expect([answer.status, read.complete, answer.text.includes('rescued')]).toEqual([200, true, true]);
        return;
      }
      expect(others).toEqual([]);
      if (verdict === 'ok_content_filter') {
        // F-5: nothing of an answer, and it says why.
        expect([answer.status, record.attempts[0]?.class]).toEqual([400, 'content_policy']);
      } else if (verdict.startsWith('ok')) {
        expect([answer.status, read.complete, first, record.ending]).toEqual([200, true, 'a served', 'served']);
      } else {
        expect([answer.status, read.complete, read.fault?.kind]).toEqual([200, false, 'error_event']);
        expect(record.ending).toBe('interrupted');
      }
    },
  );
});

const STATUS: Readonly<Record<string, number>> = {
  rate_limit: 429,
  overloaded: 503,
  malformed: 502,
  server_error: 502,
};

describe.each(FAILING.map((sample, at) => ({ sample, at, title: sample.name })))(
  '$title, and nobody else',
  ({ sample, at }) => {
    it.each(SPEAKERS.map((speaker) => ({ speaker, name: speaker.client.name })))(
      'E-1, D-7: a client of $name gets the status of the failure and an error of its dialect, no stream',
      async ({ speaker }) => {
        const answer = await ask(sample, speaker, `alone/${upstreamName(sample, speaker)}`, `${KEY}-${at}`);
        const record = await gateway.record(String(answer.headers['x-request-id']));
        expect(record.attempts).toHaveLength(1);
        expect(answer.status).toBe(STATUS[String(record.attempts[0]?.class)]);
        expect(answer.headers['content-type']).toMatch(/^application\/json/);
        expect(answer.headers['x-should-retry']).toMatch(/^(true|false)$/);
        expect(speaker.client.readWhole(answer.text).error?.message).toMatch(/./);
      },
    );
  },
);
