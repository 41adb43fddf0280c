/** What of an answer goes no further on its way to a client of another dialect, noted by whoever finds it. */
import type { BodyView } from '../bytes/body-view.ts';
import type { Losses } from '../canonical.ts';
import { isEmptyText, shortened } from './hints.ts';
import { memberText } from './json-text.ts';

/** Names are the upstream's: an answer that invents them without end must not fill the record. */
const MOST_NAMES = 16;

export class AnswerLosses implements Losses {
  readonly dropped: string[] = [];
  readonly leftOut: string[] = [];

  /** For `CanonicalAnswer`: nothing where nothing was lost. */
  get told(): { readonly losses?: Losses } {
    return this.dropped.length + this.leftOut.length === 0 ? {} : { losses: this };
  }

  /** It would have meant something to the client: the answer is degraded. */
  drop(what: string): void {
    add(this.dropped, what);
  }

  /** It takes nothing away: it was not asked for, or is the upstream's own bookkeeping. */
  leaveOut(what: string): void {
    add(this.leftOut, what);
  }

  /** Members that say something, and that nobody here reads. */
  noteView(view: BodyView, known: ReadonlySet<string>): void {
    for (const found of view.members) {
      if (!known.has(found.key) && !isEmptyText(memberText(view, found))) this.leaveOut(found.key);
    }
  }

  /** The same of a parsed object. */
  noteObject(object: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): void {
    for (const key in object) if (!known.has(key) && !isEmpty(object[key])) this.leaveOut(key);
  }
}

function add(names: string[], what: string): void {
  const name = shortened(what);
  if (names.length < MOST_NAMES && !names.includes(name)) names.push(name);
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null || value === false || value === '';
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}

/** Two lists as one; mostly one of them has nothing. */
export function bothOf(one: readonly string[] | undefined, other: readonly string[] | undefined): readonly string[] {
  if (one === undefined || one.length === 0) return other ?? NOTHING;
  if (other === undefined || other.length === 0) return one;
  return [...new Set([...one, ...other])];
}

const NOTHING: readonly string[] = [];
