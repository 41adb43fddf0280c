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

/** What a citation's place in its source is called in a record. */
export const PLACES = 'places of citations';

/** It says more of where its source stands than others have words for. */
export function hasPlace(citation: Json): boolean {
  const place = objectOf(citation['location']);
  const web = objectOf(place?.['web']);
  const source = citation['source'];
  return (
    hasOther(citation, CITATION_FIELDS) ||
    (place !== null && hasOther(place, PLACE_FIELDS)) ||
    (web !== null && hasOther(web, WEB_FIELDS)) ||
    (typeof source === 'string' && source !== '' && web === null && urlIn(source) === null)
  );
}

const CITATION_FIELDS: ReadonlySet<string> = new Set(['title', 'source', 'sourceContent', 'location']);
const PLACE_FIELDS: ReadonlySet<string> = new Set(['web']);
const WEB_FIELDS: ReadonlySet<string> = new Set(['url']);

function hasOther(object: Json, known: ReadonlySet<string>): boolean {
  return Object.keys(object).some((key) => !known.has(key));
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function urlIn(value: unknown): string | null {
  return typeof value === 'string' && /^https?:/i.test(value) ? value : null;
}
