/** What an address wants to have in the body, or not to have there. Data. */
import type { Dialect, Operation } from '../core/wire-names.ts';
import type { Addressing } from './types.ts';

export interface BodyFields {
  readonly removed: readonly string[];
  readonly added: Readonly<Record<string, string>>;
}

/** Model and version stand in the path and the body there, not in the body and a header. */
const PUBLISHED_MESSAGES: BodyFields = { removed: ['model'], added: { anthropic_version: 'vertex-2023-10-16' } };

/** Null = the body stays as the dialect has it. */
export function bodyFieldsOf(addressing: Addressing, dialect: Dialect, operation: Operation): BodyFields | null {
  // Counting names its model in the body, as its path names none.
  if (addressing !== 'publishers' || dialect !== 'anthropic') return null;
  return operation === 'count_tokens' ? COUNTED : PUBLISHED_MESSAGES;
}

const COUNTED: BodyFields = { removed: [], added: { anthropic_version: 'vertex-2023-10-16' } };
