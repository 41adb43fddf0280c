/** Messages for those who speak other dialects: its clients to any upstream, any client to its upstreams. */
import { isScanError, scanObject } from '../bytes/body-view.ts';
import { edit } from '../bytes/edit.ts';
import type { ClientRequest, DegradedRequest, TranslatedClient } from '../contract.ts';
import { writeCanonical } from './canonical-answer.ts';
import { readCanonical } from './canonical-request.ts';
import { MessagesCanonicalWriter } from './canonical-stream.ts';
import { messagesCodec } from './codec.ts';
import { degradeEdits } from './degrade.ts';

export const messagesClient: TranslatedClient = {
  codec: messagesCodec,
  canonical: {
    readRequest: readCanonical,
    writeAnswer: writeCanonical,
    streamWriter: (out, identity, echo) => new MessagesCanonicalWriter(out, identity, echo),
  },
  degraded: (request, degrade): DegradedRequest => {
    const { edits, changes, dropped } = degradeEdits(request.view, degrade);
    return { request: edits.length === 0 ? request : edited(request, edits), changes, dropped };
  },
};

function edited(request: ClientRequest, edits: Parameters<typeof edit>[1]): ClientRequest {
  const view = scanObject(edit(request.view, edits));
  if (isScanError(view)) throw new Error(`a degraded request can not be read: ${view.message}`);
  return { ...request, view };
}
