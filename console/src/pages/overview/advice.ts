/** What an operator does about a failure, by its class. */
import type { WordKey } from '../../words/words.ts';
import { isOfTheRequest, type Trouble } from './verdict.ts';
import type { en } from './words.en.ts';

type AdviceKey = Extract<WordKey<typeof en>, `do.${string}`>;

const BY_CLASS: Readonly<Record<string, AdviceKey>> = {
  rate_limit: 'do.rate_limit',
  quota_exhausted: 'do.quota_exhausted',
  auth: 'do.auth',
  permission: 'do.permission',
  model_not_found: 'do.model_not_found',
};

/** Faults that a person mends at the credential. */
const AT_CREDENTIAL = new Set(['auth', 'permission', 'quota_exhausted']);

export const isAtCredential = (failure: string): boolean => AT_CREDENTIAL.has(failure);

/** About a class of failures. */
export function adviceOf(failure: string): AdviceKey {
  return BY_CLASS[failure] ?? (isOfTheRequest(failure) ? 'do.request' : 'do.wait');
}

/** About a model in trouble; `losing`: requests fail by it. */
export function adviceFor({ why }: Trouble, losing: boolean): AdviceKey {
  const first = why[0];
  if (first === undefined || first.kind === 'skip') return 'do.skip';
  const advice = adviceOf(first.code);
  if (losing) return advice === 'do.wait' || advice === 'do.rate_limit' ? 'do.unserved' : advice;
  return advice === 'do.wait' ? 'do.covered' : advice;
}
