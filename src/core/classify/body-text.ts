/** Bytes of an error body → text, whatever charset they claim or really have (F-3). */

const CHARSET = /charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)/i;
const ONE_BYTE = /^(?:iso-8859-|latin|l\d$|windows-125|cp125|us-ascii|ascii)/i;

function decode(bytes: Uint8Array, charset: string): string | null {
  try {
    // `stream` keeps a character cut at the end from becoming a replacement mark.
    return new TextDecoder(charset, { fatal: false }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** UTF-16 by its mark or, without one, by the zero half of its ASCII. */
function utf16Kind(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === undefined || b === undefined) return null;
  if (a !== 0 && b === 0 && (d === undefined || d === 0)) return 'utf-16le';
  if (a === 0 && b !== 0 && (c === undefined || c === 0)) return 'utf-16be';
  return null;
}

/** Decodes a body. Never throws; what can not be read becomes U+FFFD. A leading byte order mark is dropped. */
export function bodyText(bytes: Uint8Array, contentType: string | undefined): string {
  const wide = utf16Kind(bytes);
  const text = wide === null ? narrowText(bytes, contentType) : decode(bytes, wide);
  return (text ?? '').replace(/^\uFEFF+/, '');
}

function narrowText(bytes: Uint8Array, contentType: string | undefined): string {
  const claimed = CHARSET.exec(contentType ?? '')?.[1];
  // Many servers stamp latin1 on JSON that is UTF-8: bytes that are valid UTF-8 are taken as such.
  if (claimed === undefined || ONE_BYTE.test(claimed)) {
    if (claimed === undefined || isUtf8(bytes)) return decode(bytes, 'utf-8') ?? '';
  }
  return decode(bytes, claimed ?? 'utf-8') ?? decode(bytes, 'utf-8') ?? '';
}
