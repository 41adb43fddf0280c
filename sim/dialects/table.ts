/** Which dialect a path speaks. */

import { plainDialects } from '../plain/dialects.ts';
import { chatDialect } from './chat/dialect.ts';
import { converseDialect } from './converse/dialect.ts';
import type { Ask, Place, SimDialect } from './dialect.ts';
import { generateDialect } from './generate/dialect.ts';
import { messagesDialect } from './messages/dialect.ts';
import { responsesDialect } from './responses/dialect.ts';

/** In order of asking. The first also words the errors of paths that are nobody's. */
const DIALECTS: readonly [SimDialect, ...SimDialect[]] = [
  chatDialect,
  messagesDialect,
  generateDialect,
  responsesDialect,
  converseDialect,
  ...plainDialects,
];

export interface Found {
  readonly dialect: SimDialect;
  readonly place: Place;
}

/** The dialect a request is made in; null = no model is asked. */
export function findDialect(ask: Ask): Found | null {
  for (const dialect of DIALECTS) {
    const place = dialect.match(ask);
    if (place !== null) return { dialect, place };
  }
  return null;
}

/** All of them, for endpoints beside the main ones. */
export function allDialects(): readonly [SimDialect, ...SimDialect[]] {
  return DIALECTS;
}
