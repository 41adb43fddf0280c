import { crc32 as zlibCrc32 } from 'node:zlib';
import { EventStreamCodec, type MessageHeaders } from '@smithy/eventstream-codec';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8 } from '../bytes/text.ts';
import { crc32 } from './crc32.ts';
import { type FrameListener, FrameReader } from './frames.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

function encoded(headers: MessageHeaders, body: Uint8Array): Buffer {
  return Buffer.from(codec.encode({ headers, body }));
}

function event(name: string, body: string): Buffer {
  return encoded(
    {
      ':event-type': { type: 'string', value: name },
      ':content-type': { type: 'string', value: 'application/json' },
      ':message-type': { type: 'string', value: 'event' },
    },
    utf8(body),
  );
}

interface Seen {
  readonly frames: string[];
  readonly reader: FrameReader;
}

function readAll(pieces: Iterable<Uint8Array>, most = 1 << 20): Seen {
  const frames: string[] = [];
  const note: FrameListener = ({ kind, name, message }, payload) => {
    frames.push([kind, name, message, Buffer.from(payload).toString()].join('|'));
  };
  const reader = new FrameReader(most, note);
  for (const piece of pieces) reader.push(piece);
  return { frames, reader };
}

const THREE = [event('messageStart', '{"role":"assistant"}'), event('contentBlockDelta', '{"ü":"😀"}'), event('x', '')];
const WHOLE = Buffer.concat(THREE);
const SEEN = ['event|messageStart||{"role":"assistant"}', 'event|contentBlockDelta||{"ü":"😀"}', 'event|x||'];

describe('FrameReader', () => {
  it('dialects §6: reads what the library writes', () => {
    expect(readAll([WHOLE]).frames).toEqual(SEEN);
    const odd = encoded(
      {
        ':message-type': { type: 'string', value: 'exception' },
        flag: { type: 'boolean', value: true },
        off: { type: 'boolean', value: false },
        byte: { type: 'byte', value: -3 },
        short: { type: 'short', value: 400 },
        int: { type: 'integer', value: 70_000 },
        blob: { type: 'binary', value: Buffer.alloc(300, 1) },
        at: { type: 'timestamp', value: new Date(1_000_000) },
        id: { type: 'uuid', value: '00000000-0000-4000-8000-000000000000' },
        ':exception-type': { type: 'string', value: 'throttlingException' },
      },
      utf8('{}'),
    );
    expect(readAll([odd]).frames).toEqual(['exception|throttlingException||{}']);
  });

  it('dialects §6: errors below the events tell code and message in their headers', () => {
    const error = encoded(
      {
        ':message-type': { type: 'string', value: 'error' },
        ':error-code': { type: 'string', value: 'InternalError' },
        ':error-message': { type: 'string', value: 'it broke' },
      },
      utf8(''),
    );
    expect(readAll([error]).frames).toEqual(['error|InternalError|it broke|']);
  });

  it('dialects §6: every split gives the same frames, and what is left over is counted', () => {
    for (let at = 0; at <= WHOLE.length; at++) {
      const { frames, reader } = readAll([WHOLE.subarray(0, at), WHOLE.subarray(at)]);
      expect([frames, reader.fault, reader.pendingBytes]).toEqual([SEEN, null, 0]);
    }
    const bytewise = readAll(Array.from(WHOLE, (_, at) => WHOLE.subarray(at, at + 1)));
    expect(bytewise.frames).toEqual(SEEN);
    for (let end = 0; end < WHOLE.length; end++) {
      const { frames, reader } = readAll([WHOLE.subarray(0, end)]);
      const whole = frames.reduce((sum, _, i) => sum + THREE[i]!.length, 0);
      expect([reader.fault, reader.pendingBytes]).toEqual([null, end - whole]);
    }
  });

  it('dialects §8: whichever bit is wrong, the frame is not read, nor anything behind it', () => {
    const [first, second, third] = THREE as [Buffer, Buffer, Buffer];
    for (let bit = 0; bit < second.length * 8; bit++) {
      const bent = Buffer.from(second);
      bent[bit >> 3]! ^= 1 << (bit & 7);
      const { frames, reader } = readAll([first, bent, third]);
      expect([bit, frames, reader.fault === null ? reader.pendingBytes > 0 : reader.fault]).toEqual([
        bit,
        SEEN.slice(0, 1),
        'damaged',
      ]);
    }
  });

  it('T-7: a frame longer than allowed is refused at its beginning', () => {
    const long = event('contentBlockDelta', `{"text":"${'a'.repeat(5000)}"}`);
    const { reader } = readAll([long.subarray(0, 12)], 4096);
    expect(reader.fault).toBe('oversized');
    expect(readAll([long], long.length).frames).toHaveLength(1);
  });

  it('dialects §6: whatever comes, nothing is thrown', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), fc.boolean(), (pieces, behind) => {
        const { reader } = readAll(behind ? [WHOLE, ...pieces] : pieces);
        expect(reader.pendingBytes).toBeLessThan(1 << 20);
      }),
    );
  });

  it('dialects §6: the checksum is the usual CRC-32', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(8), (bytes, from) => {
        const start = Math.min(from, bytes.length);
        expect(crc32(bytes, start, bytes.length)).toBe(zlibCrc32(bytes.subarray(start)));
      }),
    );
  });
});
