import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventsOf, sayableAnswer } from '../../../test/support/messages-canonical.ts';
import {
  blockDelta,
  blockStart,
  blockStop,
  ending,
  event,
  events,
  feed,
  OPTIONS,
  STOP,
  start,
  textBlock,
} from '../../../test/support/messages-feed.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { jsonBytes, textOf } from '../bytes/text.ts';
import type { CanonicalEvent, CanonicalReader } from '../canonical.ts';
import { CrossTap } from '../cross/cross-tap.ts';
import { messagesClient, messagesUpstream } from './translated.ts';

const read = messagesClient.codec.readRequest(
  jsonBytes({ model: 'm', messages: [{ role: 'user', content: 'x' }], thinking: { type: 'adaptive' } }),
);
if (!read.ok) throw new Error('unreadable');
const ECHO = read.value;
const IDENTITY = { id: 'x1', createdAt: 0, servedModel: 'served/m', vendor: 'anthropic' };

const call =
  blockStart(1, { type: 'tool_use', id: 't', name: 'f', input: {} }) +
  blockDelta(1, { type: 'input_json_delta', partial_json: '{"city":' }) +
  blockDelta(1, { type: 'input_json_delta', partial_json: '"Oslo"}' }) +
  blockStop(1);
const SAMPLES = [
  start() + event('ping') + textBlock(0, 'Hel', 'lo') + ending() + STOP,
  start() + textBlock(0, 'Hm.') + call + ending('tool_use') + STOP,
  start() + ending('refusal') + STOP,
  `: hi\n\n${start()}${textBlock(0, 'a\\n"b')}${ending('max_tokens')}${STOP}`.replaceAll('\n', '\r\n'),
];

/** Streams as they come, and what a broken wire or a broken upstream makes of them. */
const broken: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.constantFrom(...SAMPLES),
    fc.array(
      fc.oneof(
        fc.record({ how: fc.constant('flip' as const), at: fc.nat(), bit: fc.nat(7) }),
        fc.record({ how: fc.constant('cut' as const), at: fc.nat(), length: fc.nat(40) }),
        fc.record({ how: fc.constant('swap' as const), at: fc.nat(20), to: fc.nat(20) }),
        fc.record({ how: fc.constant('drop' as const), at: fc.nat(20) }),
        fc.record({ how: fc.constant('twice' as const), at: fc.nat(20) }),
        fc.record({ how: fc.constant('glue' as const), at: fc.nat(20) }),
        fc.record({ how: fc.constant('end' as const), at: fc.nat() }),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([sample, faults]) => {
    let bytes = Buffer.from(sample);
    for (const fault of faults) {
      const blocks = bytes.toString('latin1').split(/(?<=\n\n)/);
      const at =
        fault.at %
        Math.max(1, fault.how === 'flip' || fault.how === 'cut' || fault.how === 'end' ? bytes.length : blocks.length);
      if (fault.how === 'flip' && bytes.length > 0) bytes[at] = bytes[at]! ^ (1 << fault.bit);
      else if (fault.how === 'cut') bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + fault.length)]);
      else if (fault.how === 'end') bytes = bytes.subarray(0, at);
      else {
        if (fault.how === 'swap') {
          const to = fault.to % blocks.length;
          [blocks[at], blocks[to]] = [blocks[to]!, blocks[at]!];
        } else if (fault.how === 'drop') blocks.splice(at, 1);
        else if (fault.how === 'twice') blocks.splice(at, 0, blocks[at]!);
        else blocks[at] = (blocks[at] ?? '').replace(/\n\n$/, '');
        bytes = Buffer.from(blocks.join(''), 'latin1');
      }
    }
    return bytes;
  });

const cuts = fc.array(fc.nat(), { maxLength: 5 });

function piecesOf(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [...new Set(at.map((one) => one % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length));
}

/** What a client would have after a stream that says it is whole: events in the order its library relies on. */
function checkWhole(text: string): void {
  const all = events(text);
  expect(all.map(({ name }) => name).filter((name) => name === 'message_start')).toHaveLength(1);
  expect(all.at(-1)?.name).toBe('message_stop');
  let open = -1;
  let blocks = 0;
  let reason: unknown = null;
  for (const { name, data } of all) {
    expect(name).not.toBe('error');
    expect(name).not.toBe('ping');
    if (name === 'content_block_start') {
      expect([open, data['index']]).toEqual([-1, blocks++]);
      open = data['index'] as number;
    } else if (name === 'content_block_delta') expect(data['index']).toBe(open);
    else if (name === 'content_block_stop') {
      expect(data['index']).toBe(open);
      open = -1;
    } else if (name === 'message_delta') {
      reason = (data['delta'] as { stop_reason?: unknown } | null)?.stop_reason ?? reason;
      expect(data['usage']).toBeTypeOf('object');
    }
  }
  expect([open, typeof reason]).toEqual([-1, 'string']);
}

describe('whatever comes', () => {
  test('T-5, T-10: a stream is complete only with its reason, in an order clients read; nothing throws', () => {
    fc.assert(
      fc.property(broken, cuts, fc.boolean(), (bytes, at, holdAll) => {
        const { tap, whole, relayed } = feed(piecesOf(bytes, at), { holdAll });
        expect(tap.complete).toBe(tap.fault === null);
        if (whole !== null) {
          expect(tap.finished).toBe(true);
          checkWhole(whole);
        } else {
          expect(relayed).not.toContain('message_stop');
          expect(() => events(relayed)).not.toThrow();
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('T-5: cut at any place it is the same stream', () => {
    const outcome = (pieces: readonly Uint8Array[]): unknown => {
      const { tap, whole, relayed, ready } = feed(pieces);
      return [
        ready,
        tap.complete,
        tap.suspicious,
        tap.fault,
        tap.finishReasons,
        tap.usage,
        tap.contentBytes,
        whole ?? relayed,
      ];
    };
    fc.assert(
      fc.property(broken, cuts, (bytes, at) => {
        expect(outcome(piecesOf(bytes, at))).toEqual(outcome([bytes]));
      }),
      { numRuns: 500 },
    );
  });

  test('T-5, T-10: the reader never gives events out of order, nor an ending without a reason', () => {
    fc.assert(
      fc.property(broken, cuts, (bytes, at) => {
        const seen: CanonicalEvent[] = [];
        const reader: CanonicalReader = messagesUpstream.canonical.streamReader({
          maxEventBytes: 1 << 20,
          names: new Map(),
          vendor: 'anthropic',
          emit: (one) => seen.push(one),
        });
        for (const piece of piecesOf(bytes, at)) reader.push(piece);
        reader.end();
        expect(reader.ending === 'open').toBe(reader.fault !== null);
        expect(seen.filter((one) => one.type === 'finish')).toHaveLength(reader.ending === 'open' ? 0 : 1);
        expect(seen.every((one) => one.type !== 'delta' || one.text !== '')).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('T-5: through both halves the same: what is complete is whole', () => {
    fc.assert(
      fc.property(broken, cuts, (bytes, at) => {
        const tap = new CrossTap(OPTIONS, {
          client: messagesClient.canonical,
          upstream: messagesUpstream.canonical,
          identity: IDENTITY,
          request: ECHO,
          names: new Map(),
          callsMustBeWhole: true,
        });
        for (const piece of piecesOf(bytes, at)) tap.push(piece);
        tap.end();
        const relayed = textOf(tap.drain() ?? new Uint8Array(0));
        if (tap.complete) checkWhole(relayed + textOf(tap.tail(null, false)));
        else expect(tap.fault).not.toBeNull();
      }),
      { numRuns: 1000 },
    );
  });
});

test('T-7: events without an end fill no memory', () => {
  const { tap } = feed([start(), 'event: content_block_delta\ndata: {"x":"', 'y'.repeat(5000)], {
    maxEventBytes: 1000,
  });
  expect(tap.fault?.kind).toBe('malformed');
});

test('T-1: what the writer writes commits at the first delta, not before', () => {
  fc.assert(
    fc.property(sayableAnswer, (answer) => {
      const out = new ByteWriter();
      const writer = messagesClient.canonical.streamWriter(out, IDENTITY, ECHO);
      const told = eventsOf(answer);
      const first = told.findIndex(
        (one) =>
          one.type === 'delta' || one.type === 'opaque' || (one.type === 'block-start' && one.what.type === 'call'),
      );
      for (const one of told.slice(0, first)) writer.write(one);
      expect(feed([out.take()]).ready).toBeNull();
    }),
    { numRuns: 100 },
  );
});
