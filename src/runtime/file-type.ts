/** What a file is: its server's word where that says something, else its first bytes'. */

const SIGNATURES: readonly (readonly [start: readonly number[], mime: string])[] = [
  [[0x89, 0x50, 0x4e, 0x47], 'image/png'],
  [[0xff, 0xd8, 0xff], 'image/jpeg'],
  [[0x47, 0x49, 0x46, 0x38], 'image/gif'],
  [[0x25, 0x50, 0x44, 0x46], 'application/pdf'],
];

/** Servers that say this say nothing. */
const VAGUE: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'text/plain']);

/** A type in lower case, without parameters. */
export function fileType(contentType: string, bytes: Uint8Array): string {
  const said = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  return VAGUE.has(said) ? (signed(bytes) ?? (said === '' ? 'application/octet-stream' : said)) : said;
}

function signed(bytes: Uint8Array): string | null {
  const found = SIGNATURES.find(([start]) => start.every((byte, at) => bytes[at] === byte));
  if (found !== undefined) return found[1];
  const text = (from: number, to: number): string => Buffer.from(bytes.subarray(from, to)).toString('latin1');
  return text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP' ? 'image/webp' : null;
}
