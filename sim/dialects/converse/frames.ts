/** Events as binary frames: lengths, checksum of them, headers, payload, checksum of all; numbers big-endian. */
import { crc32 } from 'node:zlib';
import type { Framing, StreamEvent } from '../dialect.ts';

const STRING = 7;
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** The frame that `bad-checksum` bends. */
const BENT = 2;

/** One frame. An event whose name ends like an exception's is one. */
export function frame(name: string, payload: string): Buffer {
  const kind = name.endsWith('Exception') ? 'exception' : 'event';
  const headers = Buffer.concat([
    header(`:${kind}-type`, name),
    header(':content-type', 'application/json'),
    header(':message-type', kind),
  ]);
  const body = Buffer.from(payload);
  const bytes = Buffer.alloc(PRELUDE_BYTES + headers.length + body.length + CHECKSUM_BYTES);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(headers.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  headers.copy(bytes, PRELUDE_BYTES);
  body.copy(bytes, PRELUDE_BYTES + headers.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -CHECKSUM_BYTES)), bytes.length - CHECKSUM_BYTES);
  return bytes;
}

function header(name: string, value: string): Buffer {
  const bytes = Buffer.alloc(4 + name.length + Buffer.byteLength(value));
  bytes.writeUInt8(name.length, 0);
  bytes.write(name, 1);
  bytes.writeUInt8(STRING, 1 + name.length);
  bytes.writeUInt16BE(Buffer.byteLength(value), 2 + name.length);
  bytes.write(value, 4 + name.length);
  return bytes;
}

function framed({ name = '', data }: StreamEvent): Buffer {
  return frame(name, data);
}

/** Nothing may stand between frames, and lines have no ends. */
export const FRAMES: Framing = {
  contentType: 'application/vnd.amazon.eventstream',
  event: framed,
  comment: () => '',
};

/** The same, but for one frame whose payload is not what its checksum says. */
export const BENT_FRAMES: Framing = {
  ...FRAMES,
  event(event, at) {
    const bytes = framed(event);
    if (at === BENT) bytes[bytes.length - CHECKSUM_BYTES - 2]! ^= 1;
    return bytes;
  },
};
