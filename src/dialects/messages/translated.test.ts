import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventsOf, joined, sayableAnswer, sayableRequest } from '../../../test/support/messages-canonical.ts';
import { events, feed } from '../../../test/support/messages-feed.ts';
import { refusalOf } from '../../../test/support/messages-strict.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { jsonBytes, textOf } from '../bytes/text.ts';
import type { AnswerIdentity, CanonicalEvent, CanonicalRequest } from '../canonical.ts';
import type { ClientRequest, TargetFacts } from '../contract.ts';
import { messagesClient, messagesUpstream } from './translated.ts';

const { misses, writeRequest, readAnswer, streamReader } = messagesUpstream.canonical;
const { readRequest, writeAnswer, streamWriter } = messagesClient.canonical;

const TARGET: TargetFacts = { upstreamModel: 'up', vendor: 'anthropic', maxOutputTokens: 64_000, lacks: new Set() };
const IDENTITY: AnswerIdentity = { id: 'x1', createdAt: 0, servedModel: 'served/m', vendor: 'anthropic' };

function clientRequest(body: unknown): ClientRequest {
  const bytes = body instanceof Uint8Array ? body : jsonBytes(body);
  const read = messagesClient.codec.readRequest(bytes);
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

/** Reads thoughts, so that none is kept back. */
const ECHO = clientRequest({ model: 'm', messages: [{ role: 'user', content: 'x' }], thinking: { type: 'adaptive' } });

function sent(request: CanonicalRequest): ReturnType<typeof writeRequest> {
  return writeRequest(request, { target: TARGET, degrade: null, injectUsage: true });
}

describe('what is written and read again is the same', () => {
  test('R-4: requests', () => {
    fc.assert(
      fc.property(sayableRequest, (request) => {
        expect(misses(request, TARGET)).toBeNull();
        const body = sent(request);
        expect([body.changes, body.dropped]).toEqual([[], false]);
        const again = readRequest(clientRequest(body.bytes));
        expect(again).toEqual({ ok: true, value: request });
      }),
      { numRuns: 300 },
    );
  });

  test('F-5: whole answers', () => {
    fc.assert(
      fc.property(sayableAnswer, (answer) => {
        const { bytes, dropped } = writeAnswer(answer, IDENTITY, ECHO);
        expect(dropped).toEqual([]);
        expect(readAnswer(bytes, new Map())).toEqual(answer);
        expect(messagesClient.codec.readAnswer(bytes)?.usage).toEqual(answer.usage);
      }),
      { numRuns: 300 },
    );
  });

  test('T-1, T-5: streams, which this dialect’s own tap finds whole', () => {
    fc.assert(
      fc.property(sayableAnswer, (answer) => {
        const told = eventsOf(answer);
        const out = new ByteWriter();
        const writer = streamWriter(out, IDENTITY, ECHO);
        for (const event of told) writer.write(event);
        writer.end(Buffer.from('{"attempts":1}'), false);
        const bytes = out.take();
        expect(writer.losses.dropped).toEqual([]);
        const seen: CanonicalEvent[] = [];
        const options = { maxEventBytes: 1 << 20, names: new Map(), vendor: 'anthropic' };
        const reader = streamReader({ ...options, emit: (event) => seen.push(event) });
        reader.push(bytes);
        reader.end();
        expect([reader.fault, reader.ending]).toEqual([null, 'proper']);
        expect(joined(seen)).toEqual(joined(told));
        const { tap, whole } = feed([bytes]);
        expect([tap.complete, tap.suspicious, tap.fault]).toEqual([true, false, null]);
        expect(whole).toBe(textOf(bytes).replaceAll('"model":"up"', '"model":"served/m"'));
        expect(events(whole!).at(-2)?.data['understudy']).toEqual({ attempts: 1 });
      }),
      { numRuns: 300 },
    );
  });
});

test('dialects §14.20: whatever is written, a strict upstream takes it', () => {
  fc.assert(
    fc.property(sayableRequest, (request) => {
      // The simulator's own signatures are not made here: thoughts of others it refuses.
      const plain = {
        ...request,
        turns: request.turns.map((turn) => ({
          ...turn,
          parts: turn.parts.filter((part) => part.type !== 'reasoning'),
        })),
      };
      const target = { ...TARGET, vendor: 'sim' };
      const body = writeRequest(plain, { target, degrade: null, injectUsage: true });
      expect(refusalOf(textOf(body.bytes))).toBeNull();
    }),
    { numRuns: 200 },
  );
});
