/** Finds the members of one answer or chunk that the gateway looks at. Validates all of it; builds nothing. */
import { decodeString, type Member } from '../bytes/body-view.ts';
import { BACKSLASH, OPEN_BRACE, QUOTE, skipSpace, skipValue, walkObject } from '../bytes/json-grammar.ts';
import { textOf, utf8 } from '../bytes/text.ts';

const CANDIDATES = utf8('candidates');
const FEEDBACK = utf8('promptFeedback');
const USAGE = utf8('usageMetadata');
const MODEL = utf8('modelVersion');
const ERROR = utf8('error');

/** Span of a member's value; −1 = absent. Of two members of one name the last counts. */
export class Span {
  start = -1;
  end = -1;

  get present(): boolean {
    return this.start !== -1;
  }

  text(bytes: Uint8Array): string {
    return textOf(bytes, this.start, this.end);
  }

  clear(): void {
    this.start = this.end = -1;
  }
}

export class ChunkScan {
  readonly candidates = new Span();
  readonly feedback = new Span();
  readonly usage = new Span();
  readonly model = new Span();
  readonly error = new Span();
  /** `modelVersion` stands there more than once. */
  modelRepeats = false;
  objectStart = 0;
  objectEnd = 0;
  #bytes: Uint8Array = new Uint8Array();
  #end = 0;
  readonly #members: Member[] | null;

  /** `members`: filled with all top-level members, for a view of the whole. */
  constructor(members: Member[] | null = null) {
    this.#members = members;
  }

  /** 0 = it is one JSON object and nothing else, else `~offset` of the offending byte. */
  scan(bytes: Uint8Array, start: number, end: number): number {
    this.candidates.clear();
    this.feedback.clear();
    this.usage.clear();
    this.model.clear();
    this.error.clear();
    this.modelRepeats = false;
    this.#bytes = bytes;
    this.#end = end;
    const at = skipSpace(bytes, start, end);
    if (at >= end || bytes[at] !== OPEN_BRACE) return ~at;
    const behind = walkObject(bytes, at, end, 0, this.#visit);
    if (behind < 0) return behind;
    const rest = skipSpace(bytes, behind, end);
    this.objectStart = at;
    this.objectEnd = behind;
    return rest === end ? 0 : ~rest;
  }

  /** An `error` that says something: `null`, `false`, `0` and `""` don't. */
  get failed(): boolean {
    if (!this.error.present) return false;
    const first = this.#bytes[this.error.start]!;
    if (first === QUOTE) return this.error.end - this.error.start > 2;
    return first === OPEN_BRACE || first === 0x5b || Boolean(JSON.parse(this.error.text(this.#bytes)));
  }

  readonly #visit = (keyStart: number, keyEnd: number, valueStart: number): number => {
    const bytes = this.#bytes;
    const valueEnd = skipValue(bytes, valueStart, this.#end, 1);
    if (valueEnd < 0) return valueEnd;
    const span = this.#spanOf(keyStart, keyEnd);
    if (span !== null) {
      if (span === this.model && span.present) this.modelRepeats = true;
      span.start = valueStart;
      span.end = valueEnd;
    }
    this.#members?.push({ key: decodeString(bytes, keyStart, keyEnd), keyStart, valueStart, valueEnd });
    return valueEnd;
  };

  #spanOf(keyStart: number, keyEnd: number): Span | null {
    const bytes = this.#bytes;
    const length = keyEnd - keyStart - 2;
    if (length === CANDIDATES.length && spells(bytes, keyStart, CANDIDATES)) return this.candidates;
    if (length === USAGE.length && spells(bytes, keyStart, USAGE)) return this.usage;
    if (length === MODEL.length && spells(bytes, keyStart, MODEL)) return this.model;
    if (length === FEEDBACK.length && spells(bytes, keyStart, FEEDBACK)) return this.feedback;
    if (length === ERROR.length && spells(bytes, keyStart, ERROR)) return this.error;
    return length > ERROR.length ? this.#escaped(keyStart, keyEnd) : null;
  }

  /** A key written with escapes is the same key. */
  #escaped(keyStart: number, keyEnd: number): Span | null {
    let at = keyStart + 1;
    while (at < keyEnd && this.#bytes[at] !== BACKSLASH) at++;
    if (at === keyEnd) return null;
    switch (decodeString(this.#bytes, keyStart, keyEnd)) {
      case 'candidates':
        return this.candidates;
      case 'usageMetadata':
        return this.usage;
      case 'modelVersion':
        return this.model;
      case 'promptFeedback':
        return this.feedback;
      case 'error':
        return this.error;
      default:
        return null;
    }
  }
}

function spells(bytes: Uint8Array, keyStart: number, name: Uint8Array): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[keyStart + 1 + i] !== name[i]) return false;
  return true;
}
