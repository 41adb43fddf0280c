/** The verdict as a sentence in the reader's language. */
import { formatNumber, formatRelative } from '../../parts/format.ts';
import type { Term } from '../../words/trace.ts';
import type { Language, Say } from '../../words/words.ts';
import type { Trouble, Verdict } from './verdict.ts';
import type { en } from './words.en.ts';

export interface Speaker {
  readonly say: Say<typeof en>;
  readonly term: Term;
  readonly language: Language;
  readonly now: number;
}

/** `models` as a list: „a and b“. */
function listed(models: readonly string[], language: Language): string {
  return new Intl.ListFormat(language === 'zh' ? 'zh-CN' : 'en-GB', { type: 'conjunction' }).format(models);
}

/** “nova is failing (overloaded)”. */
function firstHalf({ model, why, isOn, lastAt }: Trouble, { say, term, language, now }: Speaker): string {
  const reasons = why.map(({ kind, code }) => term(kind, code)).join(language === 'zh' ? '、' : ', ');
  const isSkip = why[0]?.kind === 'skip';
  if (isOn) return say(isSkip ? 'now.left_out' : 'now.failing', { model, why: reasons });
  const ago = formatRelative(Date.parse(lastAt), now, language);
  return say(isSkip ? 'now.was_left_out' : 'now.failed', { model, why: reasons, ago });
}

/** The whole verdict, with the worst trouble alone. */
export function sentenceOf(verdict: Verdict, requests: number, speaker: Speaker): string {
  const { say, language } = speaker;
  const counted = (count: number) => ({ count, n: formatNumber(count, language) });
  switch (verdict.kind) {
    case 'quiet':
      return say('now.quiet');
    case 'well':
      return say('now.well', counted(requests));
    case 'mended':
      return say('now.mended', { ...counted(verdict.failed), model: verdict.troubles[0]?.model ?? '' });
    case 'covered': {
      const [worst] = verdict.troubles;
      if (worst === undefined) return say('now.well', counted(requests));
      const first = firstHalf(worst, speaker);
      return worst.by.length === 0
        ? say('now.own', { first })
        : say('now.covered', { first, by: listed(worst.by, language) });
    }
    case 'losing': {
      const [worst] = verdict.troubles;
      if (worst === undefined) return say('now.lost', counted(verdict.lost));
      const first = firstHalf(worst, speaker);
      if (worst.by.length === 0) return say('now.losing', { first, ...counted(verdict.lost) });
      return say('now.losing_covered', { first, by: listed(worst.by, language), ...counted(verdict.lost) });
    }
  }
}

/** A further model in trouble, shorter. */
export function furtherSentence(trouble: Trouble, speaker: Speaker): string {
  const first = firstHalf(trouble, speaker);
  if (trouble.by.length === 0) return speaker.say('now.also', { first });
  return speaker.say('now.also_covered', { first, by: listed(trouble.by, speaker.language) });
}
