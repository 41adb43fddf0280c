/** From what an error says to its class (F-1): provider's own words, code families, phrase families, status last. */
import type { FailureClass } from '../failure.ts';
import { decisiveCode, isSoftQuotaCode, isThrottleCode, weakCode } from './code-rules.ts';
import type { ErrorReading, Layer } from './error-reading.ts';
import * as phrases from './phrase-rules.ts';
import { statusClass } from './status-rules.ts';
import type { ErrorVocabulary } from './vocabulary.ts';

const { anyOf } = phrases;

/** A stated wait up to this long is a throttle's, beyond it a plan's. */
const SHORT_WAIT_MS = 10 * 60_000;

export interface Evidence {
  readonly reading: ErrorReading;
  readonly vocabulary: ErrorVocabulary;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Codes told in headers, in `codeKey` form. */
  readonly headerCodes: readonly string[];
  /** Wait the answer states if its class waits, ms. */
  readonly waitMs: number | null;
}

/**
 * A status inside the body beats the one around it, as codes beat statuses; except the catch-alls 400 and 500, which
 * relays put on everything. The innermost one counts: it comes from where the failure began.
 */
export function effectiveStatus(reading: ErrorReading, status: number): number {
  const told = reading.layers.flatMap((layer) => layer.statuses);
  const specific = told.find((code) => code !== 400 && code !== 500);
  if (status >= 400) return specific ?? status;
  return specific ?? told[0] ?? status;
}

/** Names of violated quotas say their window: the longest one wins. */
function quotaIdClass(ids: readonly string[]): FailureClass | null {
  if (ids.some((id) => /per(?:day|week|month)|daily|monthly/i.test(id))) return 'quota_exhausted';
  return ids.some((id) => /per(?:minute|second)/i.test(id)) ? 'rate_limit' : null;
}

function ownWords(layer: Layer, text: string, vocabulary: ErrorVocabulary): FailureClass | null {
  for (const phrase of vocabulary.phrases) {
    const coded = phrase.code === undefined || layer.codes.includes(phrase.code);
    if (coded && phrase.pattern.test(text)) return phrase.class;
  }
  for (const code of layer.codes) {
    const found = vocabulary.codes.get(code);
    if (found !== undefined) return found;
  }
  return null;
}

/** Quota or throttle? The window named, the wait stated, else the words themselves. */
function limitClass(text: string, waitMs: number | null, otherwise: FailureClass): FailureClass {
  const short = anyOf(phrases.SHORT_WINDOW, text);
  const long = anyOf(phrases.LONG_WINDOW, text);
  const brief = waitMs !== null && waitMs <= SHORT_WAIT_MS;
  if (/\blimit: 0\b/.test(text)) return 'quota_exhausted';
  if (anyOf(phrases.PLAN_WINDOW, text)) return 'quota_exhausted';
  if (long) return brief ? 'rate_limit' : 'quota_exhausted';
  if (short || brief) return 'rate_limit';
  return otherwise;
}

/** Money, capacity, throttling: everything that 429 can mean. */
function limitWords(layer: Layer, text: string, evidence: Evidence, status: number): FailureClass | null {
  const throttled = isThrottleCode(layer.codes) || anyOf(phrases.THROTTLE, text);
  const soft = isSoftQuotaCode(layer.codes) || anyOf(phrases.SOFT_QUOTA, text);
  const money = anyOf(phrases.MONEY, text);
  if (money && !(throttled && isSoleThrottle(text))) return 'quota_exhausted';
  if (anyOf(phrases.CAPACITY, text)) return 'overloaded';
  if (status === 413 && (throttled || soft)) return 'payload_too_large';
  if (soft) return limitClass(text, evidence.waitMs, isThrottleCode(layer.codes) ? 'rate_limit' : 'quota_exhausted');
  if (throttled) return limitClass(text, evidence.waitMs, 'rate_limit');
  const windowed = anyOf(phrases.LONG_WINDOW, text) && phrases.LIMIT_MET.test(text);
  if (windowed) return limitClass(text, evidence.waitMs, 'quota_exhausted');
  if (status === 429 && anyOf(phrases.SHORT_WINDOW, text)) return 'rate_limit';
  return null;
}

/** A throttle that merely mentions how to buy more. */
function isSoleThrottle(text: string): boolean {
  return anyOf(phrases.SHORT_WINDOW, text) && !anyOf(phrases.LONG_WINDOW, text);
}

/** Overflow of the context, or a cap on the answer's length that only sounds like it. */
function lengthWords(text: string): FailureClass | null {
  if (phrases.OVERFLOW.test(text)) return 'context_length';
  if (!anyOf(phrases.CONTEXT, text)) return null;
  const capOnly =
    phrases.OUTPUT_CAP.test(text) &&
    !/context|prompt|input|messages|max_seq|model_len|total_tokens|上下文|输入/.test(text);
  return capOnly ? null : 'context_length';
}

function caseWords(text: string, status: number): FailureClass | null {
  for (const [found, family] of phrases.NAMED) {
    if (!anyOf(family, text)) continue;
    return found === 'permission' && status === 401 ? 'auth' : found;
  }
  if (phrases.LACKS.test(text)) return 'unsupported';
  const length = lengthWords(text);
  if (length !== null) return length;
  if (anyOf(phrases.TOO_LARGE, text)) return 'payload_too_large';
  if (isOtherThing(text)) return 'invalid_request';
  if (anyOf(phrases.PERMISSION, text) && !/(?<!may )not exist|not found/.test(text))
    return status === 401 ? 'auth' : 'permission';
  if (anyOf(phrases.MODEL, text)) return 'model_not_found';
  if (anyOf(phrases.UNSUPPORTED, text)) return 'unsupported';
  if (phrases.TIMED_OUT.test(text) && status !== 400 && status !== 422) return 'timeout';
  return null;
}

/** Something else than the model was not found; a bare "file not found" is the server's word for a wrong path. */
function isOtherThing(text: string): boolean {
  if (/\bmodel\b/.test(text)) return false;
  return /\bno such (?:file|response|conversation|container|batch|thread|assistant)\b|\b(?:file|response|conversation|container|batch|thread|assistant|cached content|vector store|tool call|item|prompt)\b \S.{0,60}\bnot found\b/.test(
    text,
  );
}

/** What one layer says for certain. */
function layerClass(layer: Layer, codes: readonly string[], evidence: Evidence, status: number): FailureClass | null {
  const text = phrases.phraseText(layer.texts);
  const full = { ...layer, codes: [...layer.codes, ...codes] };
  const own = ownWords(full, text, evidence.vocabulary);
  // "Invalid parameter" is what providers say of anything: the message may know which.
  if (own !== null && own !== 'invalid_request') return own;
  return decisiveCode(full.codes) ?? limitWords(full, text, evidence, status) ?? caseWords(text, status) ?? own;
}

/** Statuses that say more than "error": words as general as that do not overrule them; 400 stands on anything. */
const SPECIFIC: ReadonlySet<FailureClass> = new Set([
  ...(['timeout', 'overloaded', 'rate_limit', 'quota_exhausted'] as const),
  ...(['auth', 'permission', 'model_not_found', 'payload_too_large'] as const),
]);

/** What the labels and the everyday words of one layer suggest, with the status to judge them by; null = nothing. */
function weakClass(layer: Layer, codes: readonly string[], status: number): FailureClass | null {
  const label = weakCode([...layer.codes, ...codes]);
  const text = phrases.phraseText(layer.texts);
  const broken = phrases.BROKEN.test(text);
  const stated = status >= 400 ? statusClass(status) : null;
  if (label === 'invalid_request' || label === null) {
    if (broken) return SPECIFIC.has(stated ?? 'server_error') ? stated : 'server_error';
    if (label === null) return null;
    // A label that stands on everything does not make a server's fault the caller's.
    if (stated === null || stated === 'invalid_request') return label;
    return status >= 500 && phrases.FAULTY.test(text) ? label : stated;
  }
  if (label === 'server_error') return SPECIFIC.has(stated ?? label) ? stated : label;
  if (label === 'permission' && stated === 'auth') return stated;
  if (label === 'rate_limit' && stated === 'payload_too_large') return stated;
  return label;
}

/**
 * Class of an error that has a body one could read. Null = neither body nor status names one (a success status).
 */
export function errorClass(evidence: Evidence): FailureClass | null {
  const { reading, headerCodes } = evidence;
  const status = effectiveStatus(reading, evidence.status);
  const quota = quotaIdClass(reading.quotaIds);
  if (quota !== null) return quota;
  const outermost = reading.layers.length - 1;
  for (const [index, layer] of reading.layers.entries()) {
    const found = layerClass(layer, index === outermost ? headerCodes : [], evidence, status);
    if (found !== null) return found;
  }
  // A relay calls whatever it passes on an upstream's error: what is inside knows whose fault it was.
  for (const [index, layer] of reading.layers.entries()) {
    const weak = weakClass(layer, index === outermost ? headerCodes : [], status);
    if (weak !== null) return weak;
  }
  return status >= 400 && status <= 599 ? statusClass(status) : null;
}
