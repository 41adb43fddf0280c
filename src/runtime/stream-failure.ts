/** From what a tap saw go wrong to a classified failure. */

import type { ErrorVocabulary } from '../core/classify/vocabulary.ts';
import { type Failure, makeFailure } from '../core/failure.ts';
import type { Lane, StreamFault } from '../dialects/contract.ts';

/** F-3: a failure is read for its words, not for its bulk. What answer or event holds beyond says nothing more. */
export const MAX_FAILURE_BYTES = 256 * 1024;

/** The parts of the attempt's spec that reading an error needs. */
export interface FaultReader {
  readonly lane: Pick<Lane, 'classify' | 'failedFinish'>;
  readonly vocabulary: ErrorVocabulary;
  readonly mask: (text: string) => string;
}

/** `source`: status and headers of the answer (lower case), and now in wall ms. */
export function failureOfStreamFault(
  fault: StreamFault,
  reader: FaultReader,
  source: { readonly status: number; readonly headers: Record<string, string>; readonly wall: number },
): Failure {
  switch (fault.kind) {
    case 'error_event':
      return reader.lane.classify({
        ...source,
        body: fault.body.subarray(0, MAX_FAILURE_BYTES),
        inStream: true,
        vocabulary: reader.vocabulary,
        phase: 'body',
        mask: reader.mask,
      });
    case 'malformed':
      return broken(source.status, reader.mask(fault.message));
    case 'bad_finish':
      return makeFailure({
        class: reader.lane.failedFinish(fault.reason) ?? 'server_error',
        status: source.status,
        code: fault.reason,
        message: `the upstream ended the answer with finish_reason "${fault.reason}"`,
        phase: 'body',
        maybeExecuted: false,
      });
    case 'cut':
      return broken(source.status, 'the stream ended without a finish reason');
  }
}

/** F-2: sent completely and then cut or unreadable: the work may have been done. */
function broken(status: number, message: string): Failure {
  return makeFailure({ class: 'malformed', status, message, phase: 'body', maybeExecuted: true });
}
