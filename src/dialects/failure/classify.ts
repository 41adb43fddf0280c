/**
 * Reads a failed answer (F-1 to F-6): an HTTP answer that is no success, a success that holds an error or nothing
 * usable, or an error event of a stream. Any bytes give a verdict; nothing throws. What only a dialect knows is told by
 * its `AnswerFaults`.
 */
import { type BodyShape, bodyShape } from '../../core/classify/body-shape.ts';
import { bodyText } from '../../core/classify/body-text.ts';
import { type ErrorReading, readError } from '../../core/classify/error-reading.ts';
import { cutText } from '../../core/classify/mask.ts';
import { rejectsOpaque } from '../../core/classify/opaque-rules.ts';
import { type ShownError, shownError } from '../../core/classify/shown-error.ts';
import { statusClass, statusMaybeExecuted } from '../../core/classify/status-rules.ts';
import { errorClass } from '../../core/classify/verdict.ts';
import { codeKey } from '../../core/classify/vocabulary.ts';
import {
  proseWait,
  rateLimitHeaders,
  resetWait,
  serverNow,
  shouldRetry,
  statedWait,
  waits,
} from '../../core/classify/waits.ts';
import { type Failure, type FailureClass, type Hint, makeFailure } from '../../core/failure.ts';
import type { FailureSource } from '../contract.ts';
import type { AnswerFaults } from './answer-faults.ts';

// A provider's code is a word; a longer one is not a code and does not belong into columns and metrics.
const MAX_CODE_CHARS = 200;

/** What was found, before it is put into a `Failure`. */
interface Verdict {
  readonly class: FailureClass;
  readonly maybeExecuted: boolean;
  readonly reading: ErrorReading;
  readonly shown: ShownError;
  /** Said when the provider says nothing. */
  readonly fallback: string;
}

const SILENT: ErrorReading = { layers: [], quotaIds: [], waitFields: [], headerBags: [], requestIds: [] };
const NOTHING: ShownError = { code: null, type: null, param: null, message: null };

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function headerCodes(source: FailureSource): string[] {
  return source.vocabulary.codeHeaders.flatMap((name) => {
    // Some add a namespace after a colon.
    const value = source.headers[name]?.split(':')[0]?.trim();
    return value === undefined || value === '' ? [] : [value];
  });
}

/** The wait, as far as headers and fields state it, else as prose tells it. */
function possibleWait(reading: ErrorReading, source: FailureSource): { stated: Hint | null; told: Hint | null } {
  const now = serverNow(source.headers, source.wall);
  const texts = reading.layers.flatMap((layer) => layer.texts);
  return {
    stated: statedWait(reading, source.headers, source.vocabulary.resetBuckets, now),
    told: proseWait(texts, now) ?? resetWait(source.headers, source.vocabulary.resetBuckets, now),
  };
}

function read(value: unknown, source: FailureSource): { class: FailureClass | null; reading: ErrorReading } {
  const reading = readError(value);
  const { stated, told } = possibleWait(reading, source);
  const found = errorClass({
    reading,
    vocabulary: source.vocabulary,
    status: source.status,
    headerCodes: headerCodes(source).map(codeKey),
    waitMs: (stated ?? told)?.ms ?? null,
  });
  return { class: found, reading };
}

/** An answer that is no success. */
function refused(shape: BodyShape, source: FailureSource): Verdict {
  const { status } = source;
  const base = { maybeExecuted: statusMaybeExecuted(status, shape.kind === 'empty'), reading: SILENT, shown: NOTHING };
  if (status < 400 || status > 599) return { ...base, class: 'malformed', fallback: `upstream status ${status}` };
  if (shape.kind === 'empty') {
    const { class: found } = read('', source);
    return { ...base, class: found ?? statusClass(status), fallback: `upstream status ${status} without a body` };
  }
  if (shape.kind === 'page') {
    const title = shape.title === '' ? '' : `: ${shape.title}`;
    return { ...base, class: statusClass(status), fallback: `upstream status ${status} with a web page${title}` };
  }
  const value = shape.kind === 'text' ? shape.text : shape.values.length === 1 ? shape.values[0] : shape.values;
  const { class: found, reading } = read(value, source);
  const fallback = `upstream status ${status}`;
  return { ...base, class: found ?? statusClass(status), reading, shown: shownError(value), fallback };
}

/** An error object inside a success, or as an event of a stream. One that names no class is malformed. */
function errorObject(value: unknown, source: FailureSource): Verdict {
  const { class: found, reading } = read(value, source);
  return {
    class: found ?? 'malformed',
    maybeExecuted: false,
    reading,
    shown: shownError(value),
    fallback: 'the upstream answered with an error object',
  };
}

/** A success that is none: HTML, nothing, cut, an error object, or an answer without anything in it. */
function hollow(shape: BodyShape, source: FailureSource, faults: AnswerFaults): Verdict {
  const base = { class: 'malformed' as FailureClass, maybeExecuted: true, reading: SILENT, shown: NOTHING };
  if (shape.kind === 'empty') return { ...base, fallback: 'the upstream answered with an empty body' };
  if (shape.kind === 'page') {
    const title = shape.title === '' ? '' : `: ${shape.title}`;
    return { ...base, maybeExecuted: false, fallback: `the upstream answered with a web page${title}` };
  }
  if (shape.kind === 'text') return { ...base, fallback: 'the upstream answered with something that is not JSON' };
  for (const value of shape.values) {
    const error = faults.errorIn(value);
    if (error !== null) return errorObject(error, source);
  }
  if (shape.cut) return { ...base, fallback: 'the upstream answer broke off' };
  for (const value of shape.values) {
    const fault = faults.answerFault(value);
    if (fault === null) continue;
    return { ...base, ...fault, shown: { ...NOTHING, code: fault.code }, fallback: fault.message };
  }
  return { ...base, fallback: `the upstream answer is no ${faults.answerName}` };
}

function requestId(reading: ErrorReading, source: FailureSource, value: unknown): string | null {
  for (const name of source.vocabulary.requestIdHeaders) {
    const id = source.headers[name]?.trim();
    if (id !== undefined && id !== '') return id.slice(0, MAX_CODE_CHARS);
  }
  const own = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : undefined;
  const id = reading.requestIds[0] ?? (typeof own === 'string' && own !== '' ? own : null);
  return id === null ? null : id.slice(0, MAX_CODE_CHARS);
}

/** The provider's words, masked and cut; ours where it has none. */
function messageOf(verdict: Verdict, mask: (text: string) => string): string {
  // Masked before it is cut: a cut key would escape the mask. Control characters have no place in a log line.
  const told = mask(verdict.shown.message ?? '').replace(/[\u0000-\u0008\u000b-\u001f\u007f]+/g, ' ');
  return cutText(told.trim() === '' ? mask(verdict.fallback) : told.trim());
}

/** Classifies failed calls of one dialect (F-1 to F-6). Pure and total. */
export function classifyWith(faults: AnswerFaults): (source: FailureSource) => Failure {
  return (source) => classify(source, faults);
}

function classify(source: FailureSource, faults: AnswerFaults): Failure {
  const shape = bodyShape(bodyText(source.body, source.headers['content-type']));
  const verdict = isSuccess(source.status) ? hollow(shape, source, faults) : refused(shape, source);
  const { stated, told } = possibleWait(verdict.reading, source);
  const word = (text: string | null): string | null =>
    text === null ? null : source.mask(text).slice(0, MAX_CODE_CHARS);
  const first = shape.kind === 'json' ? shape.values[0] : null;
  return makeFailure({
    class: verdict.class,
    message: messageOf(verdict, source.mask),
    status: source.status,
    code: word(verdict.shown.code ?? headerCodes(source)[0] ?? null),
    type: word(verdict.shown.type),
    param: word(verdict.shown.param),
    requestId: requestId(verdict.reading, source, first),
    hint: stated ?? (waits(verdict.class) ? told : null),
    shouldRetry: shouldRetry(source.headers),
    maybeExecuted: verdict.maybeExecuted,
    phase: source.phase,
    ...(rejectsOpaque(verdict.class, verdict.reading) ? { rejectsOpaque: true } : {}),
    // Cloudflare's "origin did not accept the connection" is a connect timeout one hop further (F-6).
    connectTimeout: source.status === 522 && verdict.class === 'timeout',
    rateLimitHeaders: rateLimitHeaders(source.headers),
  });
}
