/** How an outcome is toned; the word is beside it. Pure. */
import type { Tone } from '../../parts/badge.tsx';
import type { RequestRecord } from './story.ts';

export function outcomeTone({ outcome }: Pick<RequestRecord, 'outcome'>): Tone {
  if (outcome === 'success') return 'ok';
  return outcome === 'client_error' ? 'warn' : 'bad';
}
