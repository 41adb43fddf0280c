/** The body of one upstream call as the transport sends it: what the lane wrote, fitted to the address. */
import { isScanError, scanObject } from '../dialects/bytes/body-view.ts';
import { edit, setJson } from '../dialects/bytes/edit.ts';
import type { ClientRequest, UpstreamBody } from '../dialects/contract.ts';
import type { UploadBody } from '../ports/transport.ts';
import type { Way } from './way.ts';

/** Pieces of an upload are read anew for every call: what was spooled, with this attempt's own parts between. */
export function sentBody(
  body: UpstreamBody,
  request: ClientRequest,
  { bodyFields }: Pick<Way, 'bodyFields'>,
): Uint8Array | UploadBody {
  if (body.pieces !== undefined) return uploadOf(body.pieces, request);
  if (bodyFields === null) return body.bytes;
  const view = scanObject(body.bytes);
  if (isScanError(view)) return body.bytes;
  const removed = bodyFields.removed.map((key) => ({ op: 'remove', key }) as const);
  return edit(view, [...removed, ...Object.entries(bodyFields.added).map(([key, value]) => setJson(key, value))]);
}

function uploadOf(pieces: NonNullable<UpstreamBody['pieces']>, { upload }: ClientRequest): UploadBody {
  const lengthOf = (piece: (typeof pieces)[number]): number =>
    piece instanceof Uint8Array ? piece.length : piece.end - piece.start;
  return {
    length: pieces.reduce((sum, piece) => sum + lengthOf(piece), 0),
    async *open() {
      for (const piece of pieces) {
        if (piece instanceof Uint8Array) yield piece;
        else if (upload !== undefined) yield* upload.body.read(piece.start, piece.end);
      }
    },
  };
}
