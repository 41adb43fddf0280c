/**
 * Why an answer of an endpoint that is never translated is none (F-1 to F-6, S0). An upstream that says of itself that it
 * rejected the generation or made nothing is believed, and so is a success of a generating endpoint without what was to be
 * generated: both are final.
 */
import { type Failure, makeFailure } from '../../core/failure.ts';
import { type BodyView, isScanError, scanObject, valueByte } from '../bytes/body-view.ts';
import { textOf } from '../bytes/text.ts';
import { walkStrings } from '../bytes/walk-strings.ts';
import type { FailureSource } from '../contract.ts';
import { type AnswerFault, type AnswerFaults, errorIn, objectOf } from '../failure/answer-faults.ts';
import { classifyWith } from '../failure/classify.ts';
import type { Artifact, PlainEndpoint } from './endpoint.ts';

export const NO_ARTIFACT = 'upstream_no_artifact';
export const REJECTED = 'upstream_rejected';

/** Of one endpoint. Pure and total. */
export function classifierOf(endpoint: PlainEndpoint): (source: FailureSource) => Failure {
  const by = {
    there: classifyWith(faultsOf(endpoint, 'there')),
    missing: classifyWith(faultsOf(endpoint, 'missing')),
    rejected: classifyWith(faultsOf(endpoint, 'rejected')),
  };
  return (source) => {
    if (endpoint.acts && isEmptySound(source)) return nothingMade(endpoint, source);
    const view = source.inStream ? null : scanObject(source.body);
    return by[view === null || isScanError(view) ? 'missing' : endpoint.artifact(view)](source);
  };
}

function faultsOf(endpoint: PlainEndpoint, artifact: Artifact): AnswerFaults {
  const { acts, answerName } = endpoint;
  return {
    answerName,
    errorIn: (value) => (artifact === 'rejected' ? null : errorIn(value, () => artifact === 'there')),
    answerFault: (value) =>
      acts && artifact !== 'there' && objectOf(value) !== null ? final(answerName, artifact, value) : null,
  };
}

function final(answerName: string, artifact: Artifact, value: unknown): AnswerFault {
  const base = { class: 'generation_rejected', maybeExecuted: false } as const;
  if (artifact === 'missing')
    return { ...base, code: NO_ARTIFACT, message: `the upstream answered without a ${answerName}` };
  const told = objectOf(objectOf(value)?.['error'])?.['message'];
  const why = typeof told === 'string' && told !== '' ? `: ${told}` : '';
  return { ...base, code: REJECTED, message: `the upstream refused to make the ${answerName}${why}` };
}

/** A success that is all head: nothing came where sound was to come. */
function isEmptySound({ status, body, headers, inStream }: FailureSource): boolean {
  return (
    !inStream &&
    status >= 200 &&
    status <= 299 &&
    body.length === 0 &&
    /^(?:audio|application\/octet)/i.test(headers['content-type'] ?? '')
  );
}

function nothingMade({ answerName }: PlainEndpoint, { status, phase }: FailureSource): Failure {
  const message = `the upstream answered without a ${answerName}`;
  return makeFailure({ class: 'generation_rejected', status, code: NO_ARTIFACT, message, phase });
}

/** Members whose text says how a generation ended. */
const ENDINGS: ReadonlySet<string> = new Set([
  'finish_reason',
  'finishReason',
  'status',
  'reason',
  'code',
  'error_code',
]);
const REFUSED = /reject|moderat|filter|safety|block|policy|sensitive|nsfw|prohibited/i;

/** Of an answer without what was asked for: whether it says that its maker refused to make it. */
export function saysRefused({ bytes, start, end }: BodyView): boolean {
  let found = false;
  walkStrings(bytes, start, end, (place, from, to) => {
    if (!found && to - from < 100 && ENDINGS.has(place.innerKey ?? '')) found = REFUSED.test(textOf(bytes, from, to));
  });
  return found;
}

/** `missing`, or `rejected` where the answer says so. */
export function absent(view: BodyView): Artifact {
  return saysRefused(view) ? 'rejected' : 'missing';
}

/** A member that holds anything but null and an empty text. */
export function isFilled(view: BodyView, key: string): boolean {
  const first = valueByte(view, key);
  if (first === 0 || first === 0x6e) return false;
  const at = view.members.findLast((one) => one.key === key);
  return at !== undefined && !(first === 0x22 && at.valueEnd - at.valueStart === 2);
}
