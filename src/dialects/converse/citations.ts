/** What an answer of this dialect says of its sources. */
import type { Citation } from '../canonical.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';

/** Reads a parsed citation, whole or of a stream. Where it stands in its source is not where it stands in the text. */
export function readCitation(citation: Json): Citation {
  const web = objectOf(objectOf(citation['location'])?.['web']);
  const quotes = Array.isArray(citation['sourceContent']) ? (citation['sourceContent'] as unknown[]) : [];
  const quote = quotes.map((one) => textIn(objectOf(one)?.['text']) ?? '').join('');
  return {
    url: textIn(web?.['url']) ?? urlIn(citation['source']),
    title: textIn(citation['title']),
    quote: quote === '' ? null : quote,
    start: null,
    end: null,
  };
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function urlIn(value: unknown): string | null {
  return typeof value === 'string' && /^https?:/i.test(value) ? value : null;
}
