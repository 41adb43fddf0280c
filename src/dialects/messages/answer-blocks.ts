/** Pieces of a canonical answer as a client of this dialect gets them: states, sources, ids of calls. */
import type { Citation, JsonText, Opaque } from '../canonical.ts';
import { objectText } from '../cross/json-text.ts';
import { ownVendor, wrapOpaque, writeOpaque } from '../cross/opaque-marks.ts';

/** Whose thoughts a client of this dialect sends back unmarked. */
export const OWN_VENDOR: string = ownVendor('anthropic');

const TAKEN = /^[a-zA-Z0-9_-]+$/;

/** The id of a call as clients of this dialect may send it to any upstream of it. The same id gives the same again. */
export function callId(id: string): string {
  return TAKEN.test(id) ? id : Buffer.from(id).toString('base64url');
}

/** What closes a readable thought. Unsigned ones are marked: their maker alone can tell that they need no signature. */
export function signatureOf(opaque: Opaque | null, vendor: string): string {
  if (opaque === null) return wrapOpaque({ vendor, kind: 'signature', data: '', id: null }, vendor);
  return opaque.kind === 'signature' ? writeOpaque(opaque, OWN_VENDOR, vendor) : wrapOpaque(opaque, vendor);
}

/** The state of a sealed thought, or of whatever else has none of its own here. */
export function sealOf(opaque: Opaque, vendor: string): string {
  return opaque.kind === 'sealed' ? writeOpaque(opaque, OWN_VENDOR, vendor) : wrapOpaque(opaque, vendor);
}

/** Null = it names no address. The index is one that no upstream made: it is marked so that none gets it back. */
export function citationText({ url, title, quote }: Citation, vendor: string): JsonText | null {
  if (url === null) return null;
  return objectText([
    ['type', '"web_search_result_location"'],
    ['url', JSON.stringify(url)],
    ['title', JSON.stringify(title)],
    ['cited_text', JSON.stringify(quote ?? '')],
    ['encrypted_index', JSON.stringify(wrapOpaque({ vendor, kind: 'sealed', data: '', id: null }, vendor))],
  ]);
}
