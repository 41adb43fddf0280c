/** Error vocabularies by provider id, built once from the rows. */
import { codeKey, type ResetBucket } from '../core/classify/vocabulary.ts';
import type { FailureClass } from '../core/failure.ts';
import type { ErrorVocabulary } from './types.ts';
import { CHINESE } from './vocabularies/chinese.ts';
import { INTERNATIONAL } from './vocabularies/international.ts';
import type { VocabularyRow } from './vocabularies/row.ts';

const ROWS: readonly VocabularyRow[] = [...INTERNATIONAL, ...CHINESE];

/** The reset headers that count (D-3); whoever sends one means it the same way. */
const BUCKETS: readonly ResetBucket[] = [
  { reset: 'x-ratelimit-reset', remaining: 'x-ratelimit-remaining', lone: true },
  ...['requests', 'tokens'].map((kind) => ({
    reset: `x-ratelimit-reset-${kind}`,
    remaining: `x-ratelimit-remaining-${kind}`,
  })),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((kind) => ({
    reset: `anthropic-ratelimit-${kind}-reset`,
    remaining: `anthropic-ratelimit-${kind}-remaining`,
  })),
  ...['unified', 'unified-5h', 'unified-7d'].map((kind) => ({
    reset: `anthropic-ratelimit-${kind}-reset`,
    remaining: `anthropic-ratelimit-${kind}-remaining`,
    usedUp: [`anthropic-ratelimit-${kind}-status`, 'rejected'] as const,
  })),
];

function ownCodes(row: VocabularyRow): Map<string, FailureClass> {
  const codes = new Map<string, FailureClass>();
  for (const [failureClass, spelled] of Object.entries(row.codes)) {
    for (const code of spelled) codes.set(codeKey(code), failureClass as FailureClass);
  }
  return codes;
}

// A number without a field of its own means something else at every provider.
const BARE_NUMBER = /^\d+$/;

/** Everybody's codes, but for numbers and for those that two mean differently: what a relay passes on is read by them. */
function sharedCodes(): Map<string, FailureClass> {
  const shared = new Map<string, FailureClass>();
  const disputed = new Set<string>();
  for (const row of ROWS) {
    for (const [code, failureClass] of ownCodes(row)) {
      if (BARE_NUMBER.test(code) || (shared.get(code) ?? failureClass) !== failureClass) disputed.add(code);
      shared.set(code, failureClass);
    }
  }
  for (const code of disputed) shared.delete(code);
  return shared;
}

function distinct(rows: readonly VocabularyRow[], key: 'codeHeaders' | 'requestIdHeaders'): string[] {
  return [...new Set(rows.flatMap((row) => row[key] ?? []))];
}

function build(row: VocabularyRow): ErrorVocabulary {
  const others = ROWS.filter((other) => other !== row);
  // The edge's own id comes last: every provider behind it has a better one.
  const ids = distinct([row, ...others], 'requestIdHeaders').filter((name) => name !== 'cf-ray');
  const relayed = others.flatMap((other) => other.phrases ?? []).filter((phrase) => phrase.code !== undefined);
  return {
    id: row.id,
    codes: new Map([...sharedCodes(), ...ownCodes(row)]),
    phrases: [...(row.phrases ?? []), ...relayed],
    codeHeaders: distinct([row, ...others], 'codeHeaders'),
    requestIdHeaders: [...ids, 'cf-ray'],
    resetBuckets: BUCKETS,
  };
}

const BY_ID: ReadonlyMap<string, ErrorVocabulary> = new Map(ROWS.map((row) => [row.id, build(row)]));

/** Relatives that share a vocabulary. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['azure', 'azure-openai'],
  ['vertex', 'gemini'],
  ['sim', 'openai-compatible'],
  ['generic', 'openai-compatible'],
]);

/** Vocabulary of a provider id; an unknown one is read by the general rules (F-1). */
export function vocabularyFor(id: string): ErrorVocabulary {
  const found = BY_ID.get(ALIASES.get(id) ?? id) ?? BY_ID.get('openai-compatible');
  if (found === undefined) throw new Error('the general vocabulary is missing');
  return found;
}
