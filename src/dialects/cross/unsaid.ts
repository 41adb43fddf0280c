/**
 * What parts of a conversation say beyond what an upstream's dialect has words for (dialects §11): found in one walk, so
 * that no writer leaves it out in silence.
 */
import type { CanonicalRequest, Part, Turn } from '../canonical.ts';
import { argumentsObject } from './json-text.ts';
import type { RequestChanges } from './request-changes.ts';

/** What a dialect can say of a part. */
export interface Says {
  /** How closely something is looked at. */
  readonly detail: 'all' | 'images' | 'none';
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
  /** What a schema of the answer is for, and what it is called. */
  readonly schemaDescription: boolean;
  readonly schemaName: boolean;
}

/** Records what goes unsaid. What a schema is called means nothing where it has no name: that degrades nothing. */
export function noteUnsaid({ system, turns, format }: CanonicalRequest, says: Says, changes: RequestChanges): void {
  for (const part of system) note(part, 'system', says, changes);
  for (const { role, parts } of turns) for (const part of parts) note(part, role, says, changes);
  if (format?.type !== 'schema') return;
  if (format.description !== null && !says.schemaDescription) changes.note('dropped description of the schema');
  if (format.name !== null && !says.schemaName) changes.mention('name of the schema left out');
}

function note(part: Part, role: Turn['role'], says: Says, changes: RequestChanges): void {
  switch (part.type) {
    case 'text': {
      // Nobody but an assistant is taken to cite.
      const cites = role === 'assistant' ? says.citations : 'none';
      if (part.citations?.some(({ url }) => url === null || cites === 'none')) changes.note('dropped citations');
      return;
    }
    case 'refusal':
      if (!says.refusals) changes.note('refusals as words');
      return;
    case 'media':
      noteMedia(part, says, changes);
      return;
    case 'call':
      if (!says.anyArguments && part.form === 'function' && isWrapped(part.input)) {
        changes.note('arguments that are no object wrapped');
      }
      return;
    case 'result':
      for (const inner of part.parts) note(inner, 'user', says, changes);
  }
}

function noteMedia(part: Extract<Part, { type: 'media' }>, says: Says, changes: RequestChanges): void {
  const { media, source, name, detail } = part;
  const saysDetail = says.detail === 'all' || (says.detail === 'images' && media === 'image');
  if (detail !== null && detail !== 'auto' && !saysDetail) changes.note('dropped detail');
  if (source.by === 'text' && !says.textFiles) changes.note('text files as words');
  else if (name !== null && (media !== 'document' || !says.fileNames)) changes.note('dropped file name');
}

function isWrapped(input: string): boolean {
  const written = argumentsObject(input);
  return written !== '{}' && written !== input.trim();
}
