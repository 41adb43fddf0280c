/** What reading a request into the canonical model gathers on its way: what is bound to this dialect, and hints. */
import type { BodyView } from '../bytes/body-view.ts';
import type { JsonText } from '../canonical.ts';
import { memberText } from '../cross/json-text.ts';
import { camelCase } from './fields.ts';

const NULL = 0x6e;

export interface Gathered {
  readonly hints: Map<string, JsonText>;
  readonly bound: Set<string>;
}

/**
 * Members of a nested object that the model has no place for become hints, so that none is lost without a record; `under`:
 * where they stand, for the record.
 */
export function noteOthers(view: BodyView, known: ReadonlySet<string>, under: string, { hints }: Gathered): void {
  for (const found of view.members) {
    if (known.has(camelCase(found.key)) || view.bytes[found.valueStart] === NULL) continue;
    hints.set(`${under}.${found.key}`, memberText(view, found));
  }
}
