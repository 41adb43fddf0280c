/**
 * Thoughts of earlier turns on their way to an upstream of this dialect: signed or sealed, only their maker can
 * read them. They pass byte for byte; those that carry another vendor's mark, or all of them when bare, are cut out.
 */
import { type BodyView, isScanError, member, readString, scanObject } from '../bytes/body-view.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { OPEN_BRACE, OPEN_BRACKET, skipValue, walkArray } from '../bytes/json-grammar.ts';
import { objectAt, objectsIn } from '../bytes/nested.ts';
import { bufferOf, jsonBytes, utf8 } from '../bytes/text.ts';
import { dropped } from '../cross/hints.ts';
import { indexOfMark, REASONING_DROPPED, unwrapOpaque } from '../cross/opaque-marks.ts';

export interface ThoughtsFor {
  /** Whose marks are understood. */
  readonly vendor: string;
  /** Leave out all of them. */
  readonly bare: boolean;
}

export interface RewrittenThoughts {
  readonly edits: readonly Edit[];
  readonly changes: readonly string[];
  /** Something the client asked for went with them. */
  readonly dropped: boolean;
  /** Some go along. */
  readonly opaque: boolean;
}

const NONE: RewrittenThoughts = { edits: [], changes: [], dropped: false, opaque: false };
const UNTOUCHED: RewrittenThoughts = { ...NONE, opaque: true };
const COMMA = utf8(',');
const OPEN = utf8('[');
const CLOSE = utf8(']');
const LEFT_OUT = new Uint8Array(0);

export function rewriteThoughts(view: BodyView, target: ThoughtsFor): RewrittenThoughts {
  const messages = member(view, 'messages');
  if (messages === null) return NONE;
  const text = bufferOf(view.bytes).subarray(messages.valueStart, messages.valueEnd);
  const isMarked = indexOfMark(text) !== -1;
  if (!text.includes('thinking"') && !isMarked) return NONE;
  if (!target.bare && !isMarked) return UNTOUCHED;
  const rewriting = new Rewriting(view, target);
  const value = rewriting.messages(messages.valueStart, messages.valueEnd);
  const opaque = rewriting.kept > 0;
  if (rewriting.cut === 0 && rewriting.mended === 0) return opaque ? UNTOUCHED : NONE;
  const edits: Edit[] = [{ op: 'set', key: 'messages', value }];
  if (rewriting.cut === 0) return { edits, changes: [], dropped: false, opaque };
  // A budget for thinking makes this API insist on the thought before a call whose results come now.
  const insists = rewriting.endsInResults && thinksByBudget(view);
  if (!insists) return { edits, changes: [REASONING_DROPPED], dropped: true, opaque };
  edits.push({ op: 'remove', key: 'thinking' });
  return { edits, changes: [REASONING_DROPPED, dropped('thinking')], dropped: true, opaque };
}

function thinksByBudget(view: BodyView): boolean {
  const thinking = objectAt(view, 'thinking');
  return thinking !== null && readString(thinking, 'type') === 'enabled';
}

/** Writes the turns anew, slice by slice. */
class Rewriting {
  /** Thoughts left out and passed on, and blocks that lost what we put into them. */
  cut = 0;
  kept = 0;
  mended = 0;
  /** The last turn brings results of calls. */
  endsInResults = false;
  readonly #bytes: Uint8Array;
  readonly #target: ThoughtsFor;

  constructor({ bytes }: BodyView, target: ThoughtsFor) {
    this.#bytes = bytes;
    this.#target = target;
  }

  messages(start: number, end: number): Uint8Array {
    return this.#list(start, end, (message) => {
      this.endsInResults = objectsIn(message, 'content').some((block) => readString(block, 'type') === 'tool_result');
      const content = member(message, 'content');
      if (content === null || this.#bytes[content.valueStart] !== OPEN_BRACKET) return null;
      const before = this.cut + this.mended;
      const value = this.#list(content.valueStart, content.valueEnd, (block) => this.#block(block));
      if (this.cut + this.mended === before) return null;
      // A turn of nothing but thoughts is no turn without them.
      return value.length === 2 ? LEFT_OUT : edit(message, [{ op: 'set', key: 'content', value }]);
    });
  }

  #block(block: BodyView): Uint8Array | null {
    const type = readString(block, 'type');
    if (type === 'text') return this.#words(block);
    return type === 'thinking' || type === 'redacted_thinking' ? this.#thought(block, type) : null;
  }

  /** Sources of another dialect's answer were told with a mark: this dialect's upstreams would not know them. */
  #words(block: BodyView): Uint8Array | null {
    const cited = member(block, 'citations');
    if (cited === null || indexOfMark(this.#bytes.subarray(cited.valueStart, cited.valueEnd)) === -1) return null;
    this.mended++;
    return edit(block, [{ op: 'remove', key: 'citations' }]);
  }

  #thought(block: BodyView, type: 'thinking' | 'redacted_thinking'): Uint8Array | null {
    const state = readString(block, type === 'thinking' ? 'signature' : 'data') ?? '';
    const wrapped = unwrapOpaque(state);
    const foreign = wrapped === null ? indexOfMark(utf8(state)) === 0 : wrapped.vendor !== this.#target.vendor;
    if (this.#target.bare || foreign) {
      this.cut++;
      return LEFT_OUT;
    }
    this.kept++;
    if (wrapped === null) return null;
    this.mended++;
    return wrapped.kind === 'signature'
      ? edit(block, [setJson('type', 'thinking'), setJson('signature', wrapped.data)])
      : jsonBytes({ type: 'redacted_thinking', data: wrapped.data });
  }

  /** The array with each object as `write` gives it: bytes, or null where it stays. */
  #list(start: number, end: number, write: (object: BodyView) => Uint8Array | null): Uint8Array {
    const out = new ByteWriter();
    out.write(OPEN);
    walkArray(this.#bytes, start, end, 1, (at) => {
      const behind = skipValue(this.#bytes, at, end, 2);
      const object = this.#bytes[at] === OPEN_BRACE ? objectOf(this.#bytes, at, behind) : null;
      const written = object === null ? null : write(object);
      if (written === LEFT_OUT) return behind;
      if (out.length > 1) out.write(COMMA);
      if (written === null) out.write(this.#bytes, at, behind);
      else out.write(written);
      return behind;
    });
    out.write(CLOSE);
    return out.take();
  }
}

function objectOf(bytes: Uint8Array, start: number, end: number): BodyView | null {
  const view = scanObject(bytes, { start, end });
  return isScanError(view) ? null : view;
}
