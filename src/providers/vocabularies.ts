import type { ErrorVocabulary } from './types.ts';

export function vocabularyFor(id: string): ErrorVocabulary {
  return { id, codes: new Map(), phrases: [], codeHeaders: [], requestIdHeaders: [], resetBuckets: [] };
}
