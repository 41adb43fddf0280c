/** The Chat dialect's two halves of a translation. */
import { isScanError, scanObject } from '../bytes/body-view.ts';
import { edit } from '../bytes/edit.ts';
import type { ClientRequest, DegradedRequest, TranslatedClient, TranslatedUpstream } from '../contract.ts';
import { isEventStream } from '../stream/is-event-stream.ts';
import { FAILED_FINISH } from './answer-fault.ts';
import { writeCanonical } from './canonical-answer.ts';
import { ChatCanonicalReader } from './canonical-reader.ts';
import { readCanonical } from './canonical-request.ts';
import { ChatCanonicalWriter } from './canonical-stream.ts';
import { readUpstreamAnswer } from './canonical-upstream-answer.ts';
import { chatCodec } from './codec.ts';
import { degradeEdits } from './degrade.ts';
import { missesInChat, writeChatRequest } from './upstream-request.ts';

export const chatClient: TranslatedClient = {
  codec: chatCodec,
  canonical: {
    readRequest: readCanonical,
    writeAnswer: writeCanonical,
    streamWriter: (out, identity, echo) => new ChatCanonicalWriter(out, identity, echo),
  },
  degraded: (request, degrade): DegradedRequest => {
    const { edits, changes, dropped } = degradeEdits(request.view, degrade);
    if (edits.length === 0) return { request, changes, dropped };
    const view = scanObject(edit(request.view, edits));
    if (isScanError(view)) throw new Error(`a degraded request can not be read: ${view.message}`);
    return { request: degradedRequest(request, view), changes, dropped };
  },
};

/** The edits touch what the model or the answer's shape is told by as well. */
function degradedRequest(request: ClientRequest, view: ClientRequest['view']): ClientRequest {
  const read = chatCodec.readRequest(view.bytes, request.place);
  return read.ok ? { ...read.value, includeUsage: request.includeUsage, model: request.model } : { ...request, view };
}

export const chatUpstream: TranslatedUpstream = {
  dialect: 'openai-chat',
  canonical: {
    misses: missesInChat,
    writeRequest: writeChatRequest,
    readAnswer: readUpstreamAnswer,
    failedFinish: (raw) => FAILED_FINISH.get(raw) ?? null,
    streamReader: (options) => new ChatCanonicalReader(options),
  },
  classify: chatCodec.classify,
  isStream: isEventStream,
};
