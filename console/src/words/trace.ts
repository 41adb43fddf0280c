/** Says the codes of a request's record in words; a code that has none yet is shown as it is. */
import { useCallback } from 'react';
import { en } from './trace.en.ts';
import { zh } from './trace.zh.ts';
import { pageWords, useSay } from './words.ts';

const words = pageWords('trace', en, zh);

/** What a code may be of. */
export type TermKind = 'class' | 'decision' | 'result' | 'skip' | 'degraded' | 'ending' | 'stage' | 'role' | 'key';

/** `term('class', 'rate_limit')` → `rate limited`. */
export type Term = (kind: TermKind, code: string) => string;

export function useTerm(): Term {
  const say = useSay(words);
  return useCallback(
    (kind, code) => {
      const key = `${kind}.${code}`;
      return Object.hasOwn(en, key) ? say(key as keyof typeof en) : code;
    },
    [say],
  );
}
