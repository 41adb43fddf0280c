/** Log probabilities of this dialect, from and to the list of tokens that the canonical model has (dialects §11). */
import type { LogprobsText } from '../canonical.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';

interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[] | null;
}

/** Null = there are none. */
export function readLogprobs(result: unknown): LogprobsText | null {
  const chosen = objectOf(result)?.['chosenCandidates'];
  if (!Array.isArray(chosen) || chosen.length === 0) return null;
  const top = objectOf(result)?.['topCandidates'];
  const alternatives: unknown[] = Array.isArray(top) ? top : [];
  return JSON.stringify(
    chosen.map((entry, at) => {
      const others = objectOf(alternatives[at])?.['candidates'];
      const list: unknown[] = Array.isArray(others) ? others : [];
      return { ...tokenOf(entry), top_logprobs: list.map(tokenOf) };
    }),
  );
}

function tokenOf(entry: unknown): TokenLogprob {
  const { token, logProbability } = objectOf(entry) ?? {};
  const text = typeof token === 'string' ? token : '';
  return {
    token: text,
    logprob: typeof logProbability === 'number' ? logProbability : 0,
    bytes: [...Buffer.from(text)],
  };
}

/** `logprobsResult` for a client. */
export function writeLogprobs(tokens: LogprobsText): object {
  const list: unknown = JSON.parse(tokens);
  const entries = (Array.isArray(list) ? list : []).map((entry) => objectOf(entry) ?? {});
  return {
    chosenCandidates: entries.map(candidateOf),
    topCandidates: entries.map((entry) => {
      const top: unknown = entry['top_logprobs'];
      return { candidates: (Array.isArray(top) ? top : []).map((one) => candidateOf(objectOf(one) ?? {})) };
    }),
  };
}

function candidateOf(entry: Json): object {
  return { token: entry['token'] ?? '', logProbability: entry['logprob'] ?? 0 };
}
