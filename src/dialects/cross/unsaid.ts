/**
 * What parts of a conversation say beyond what an upstream's dialect has words for (dialects §11): found in one walk, so
 * that no writer leaves it out in silence.
 */
import type { CanonicalRequest, Part } from '../canonical.ts';
import { argumentsObject } from './json-text.ts';

/** What a dialect can say of a part. */
export interface Says {
  /** How closely a picture is looked at. */
  readonly detail: boolean;
  /** What an assistant's words rest on: what has an address, or nothing of it. */
  readonly citations: 'urls' | 'none';
  /** Arguments of a call that are no JSON object. */
  readonly anyArguments: boolean;
  /** A plain text as the file it is. */
  readonly textFiles: boolean;
  /** What a document is called. */
  readonly fileNames: boolean;
  /** A refusal as something else than words. */
  readonly refusals: boolean;
  /** What a schema of the answer is for. */
  readonly schemaDescription: boolean;
}

/** Words for `UpstreamBody.changes`; each of them degrades. Empty = all is said. */
export function unsaidIn({ system, turns, format }: CanonicalRequest, says: Says): ReadonlySet<string> {
  const changes = new Set<string>();
  for (const part of system) note(part, says, changes);
  for (const { parts } of turns) for (const part of parts) note(part, says, changes);
  if (format?.type === 'schema' && format.description !== null && !says.schemaDescription) {
    changes.add('dropped description of the schema');
  }
  return changes;
}

function note(part: Part, says: Says, changes: Set<string>): void {
  switch (part.type) {
    case 'text':
      if (part.citations?.some(({ url }) => url === null || says.citations === 'none')) {
        changes.add('dropped citations');
      }
      return;
    case 'refusal':
      if (!says.refusals) changes.add('refusals as words');
      return;
    case 'media':
      noteMedia(part, says, changes);
      return;
    case 'call':
      if (!says.anyArguments && part.form === 'function' && isWrapped(part.input)) {
        changes.add('arguments that are no object wrapped');
      }
      return;
    case 'result':
      for (const inner of part.parts) note(inner, says, changes);
  }
}

function noteMedia(part: Extract<Part, { type: 'media' }>, says: Says, changes: Set<string>): void {
  const { media, source, name, detail } = part;
  if (detail !== null && detail !== 'auto' && !says.detail) changes.add('dropped detail');
  if (source.by === 'text' && !says.textFiles) changes.add('text files as words');
  else if (media === 'document' && name !== null && !says.fileNames) changes.add('dropped file name');
}

function isWrapped(input: string): boolean {
  const written = argumentsObject(input);
  return written !== '{}' && written !== input.trim();
}
