/** Between text and UTF-8 bytes. */

/** A `Buffer` over the same memory. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** UTF-8 text of a range; broken sequences become U+FFFD. */
export function textOf(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return bufferOf(bytes).toString('utf8', start, end);
}

export function utf8(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

/** A value as JSON bytes. */
export function jsonBytes(value: unknown): Buffer {
  return utf8(JSON.stringify(value));
}

/** Length of the UTF-8 byte order mark at the start: 3 or 0. */
export function bomLength(bytes: Uint8Array): 0 | 3 {
  return bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}
