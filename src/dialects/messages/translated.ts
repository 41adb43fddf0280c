/** Messages for those who speak other dialects: its clients to any upstream, any client to its upstreams. */
import { isScanError, scanObject } from '../bytes/body-view.ts';
import { edit } from '../bytes/edit.ts';
import type { ClientRequest, DegradedRequest, TranslatedClient, TranslatedUpstream } from '../contract.ts';
import { isEventStream } from '../stream/is-event-stream.ts';
import { writeCanonical } from './canonical-answer.ts';
import { MessagesReader } from './canonical-reader.ts';
import { readCanonical } from './canonical-request.ts';
import { MessagesCanonicalWriter } from './canonical-stream.ts';
import { messagesCodec } from './codec.ts';
import { degradeEdits } from './degrade.ts';
import { classifyAnswer } from './failure.ts';
import { readUpstreamAnswer } from './upstream-answer.ts';
import { misses } from './upstream-misses.ts';
import { writeRequest } from './upstream-request.ts';

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

export const messagesUpstream: TranslatedUpstream = {
  dialect: 'anthropic',
  canonical: {
    misses,
    writeRequest,
    readAnswer: readUpstreamAnswer,
    // No reason of this dialect says that the answer failed: errors are events.
    failedFinish: () => null,
    streamReader: (options) => new MessagesReader(options),
  },
  classify: classifyAnswer,
  isStream: isEventStream,
};
