/** Responses as one side of a translation: its clients towards any upstream, its upstreams towards any client. */

import type { Degrade } from '../../core/request/redundancy-types.ts';
import { isScanError, scanObject } from '../bytes/body-view.ts';
import { edit } from '../bytes/edit.ts';
import type { ClientRequest, DegradedRequest, TranslatedClient, TranslatedUpstream } from '../contract.ts';
import { isEventStream } from '../stream/is-event-stream.ts';
import { writeCanonical } from './canonical-answer.ts';
import { ResponsesReader } from './canonical-reader.ts';
import { readCanonical } from './canonical-request.ts';
import { ResponsesCanonicalWriter } from './canonical-stream.ts';
import { readUpstreamAnswer } from './canonical-upstream-answer.ts';
import { responsesCodec } from './codec.ts';
import { degradeEdits } from './degrade.ts';
import { classifyAnswer } from './failure.ts';
import { failedFinish } from './finish.ts';
import { missesInResponses } from './upstream-misses.ts';
import { writeResponsesRequest } from './upstream-request.ts';

function degraded(request: ClientRequest, degrade: Degrade | null): DegradedRequest {
  const { edits, changes, dropped } = degradeEdits(request.view, degrade);
  if (edits.length === 0) return { request, changes, dropped };
  const view = scanObject(edit(request.view, edits));
  if (isScanError(view)) throw new Error(`a degraded request can not be read: ${view.message}`);
  return { request: { ...request, view }, changes, dropped };
}

export const responsesClient: TranslatedClient = {
  codec: responsesCodec,
  canonical: {
    readRequest: readCanonical,
    writeAnswer: writeCanonical,
    streamWriter: (out, identity, echo) => new ResponsesCanonicalWriter(out, identity, echo),
  },
  degraded,
};

export const responsesUpstream: TranslatedUpstream = {
  dialect: 'openai-responses',
  canonical: {
    misses: missesInResponses,
    writeRequest: writeResponsesRequest,
    readAnswer: readUpstreamAnswer,
    failedFinish,
    streamReader: (options) => new ResponsesReader(options),
  },
  classify: classifyAnswer,
  isStream: isEventStream,
};
