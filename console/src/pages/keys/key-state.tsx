/** Whether a key is served, and if not why and how long (G-6). */
import type { ReactNode } from 'react';
import { serverNow } from '../../api/clock.ts';
import { Badge } from '../../parts/badge.tsx';
import { formatRelative } from '../../parts/format.ts';
import { useLanguage, useSay } from '../../words/words.ts';
import { instantMs } from '../access/local-time.ts';
import type { Key } from './key-use.ts';
import { words } from './words.ts';

export type Trouble = 'banned' | 'suspended' | 'expired';

/** What keeps it from being served; null = nothing. */
export function troubleOfKey(key: Pick<Key, 'breaker' | 'expires_at'>, now: number): Trouble | null {
  if (key.breaker.state !== 'ok') return key.breaker.state;
  const end = key.expires_at === undefined ? null : instantMs(key.expires_at);
  return end !== null && end <= now ? 'expired' : null;
}

/** Undefined where it is served like any other. */
export function keyBadge(key: Key, word: (trouble: Trouble) => string): ReactNode {
  const trouble = troubleOfKey(key, serverNow());
  if (trouble === null) return undefined;
  return <Badge tone={trouble === 'suspended' ? 'warn' : 'bad'}>{word(trouble)}</Badge>;
}

/** Why it is not served, in a sentence. */
export function WhyNot({ of }: { readonly of: Key }) {
  const say = useSay(words);
  const language = useLanguage();
  const trouble = troubleOfKey(of, serverNow());
  if (trouble === null) return null;
  const at = trouble === 'banned' ? of.breaker.since : of.breaker.until;
  const when = at === null ? '' : formatRelative(Date.parse(at), serverNow(), language);
  return <p>{say(`why.${trouble}`, { when })}</p>;
}
