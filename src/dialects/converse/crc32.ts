/** CRC-32 as the frames use it (the polynomial of gzip and Ethernet), four bytes at a step. */

/** Table 0 is the usual one; table n says what a byte does n steps later. */
const TABLES = tables(4);

function tables(count: number): Uint32Array[] {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest & 1) === 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
    return rest;
  });
  const all = [first];
  while (all.length < count) {
    all.push(all.at(-1)!.map((rest) => (rest >>> 8) ^ first[rest & 0xff]!));
  }
  return all;
}

/** The checksum of a range of bytes, as an unsigned number. */
export function crc32(bytes: Uint8Array, start: number, end: number): number {
  const [one, two, three, four] = TABLES as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  let rest = 0xffffffff;
  let at = start;
  for (const last = end - 4; at <= last; at += 4) {
    rest ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    rest = four[rest & 0xff]! ^ three[(rest >>> 8) & 0xff]! ^ two[(rest >>> 16) & 0xff]! ^ one[(rest >>> 24) & 0xff]!;
  }
  for (; at < end; at++) rest = (rest >>> 8) ^ one[(rest ^ bytes[at]!) & 0xff]!;
  return (rest ^ 0xffffffff) >>> 0;
}
