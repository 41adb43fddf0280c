/** What an answer says of its sources: `citationMetadata`, from and to the canonical model. */
import type { Citation } from '../canonical.ts';
import { objectOf } from '../failure/answer-faults.ts';

/** Of a parsed candidate. */
export function readCitations(metadata: unknown): Citation[] {
  const told = objectOf(metadata);
  const list = told?.['citationSources'] ?? told?.['citations'];
  return (Array.isArray(list) ? list : []).flatMap((entry): Citation[] => {
    const source = objectOf(entry);
    if (source === null) return [];
    return [
      {
        url: textIn(source['uri']),
        title: textIn(source['title']),
        quote: null,
        start: placeIn(source['startIndex']),
        end: placeIn(source['endIndex']),
      },
    ];
  });
}

export function writeCitations(citations: readonly Citation[]): object {
  return {
    citationSources: citations.map(({ url, title, start, end }) => ({
      ...(start === null ? {} : { startIndex: start }),
      ...(end === null ? {} : { endIndex: end }),
      ...(url === null ? {} : { uri: url }),
      ...(title === null ? {} : { title }),
    })),
  };
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function placeIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
