/**
 * Reads what the gateway must know of one chunk or whole answer in one pass over its bytes, validating it on the way.
 * One scanner serves a whole stream: its fields hold the last object scanned, nothing is allocated per chunk.
 */

import { decodeString, type Member } from '../bytes/body-view.ts';
import {
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  skipValue,
  walkArray,
  walkObject,
  walkRest,
} from '../bytes/json-grammar.ts';
import { CONTENT } from '../stream/grammar.ts';
import { CallScan } from './call-scan.ts';
import { KEY, keyAt } from './chunk-keys.ts';
import { ChunkOpening } from './chunk-opening.ts';
import { choiceIndex, isErrorWord, isFilled, isTruthy } from './chunk-values.ts';

/** Content made of words: its bytes tell how many tokens it was. */
const WORDS = CONTENT.text | CONTENT.refusal | CONTENT.reasoning;

/** How a span is written: as the served model, not at all, as null. */
export const EDIT = { model: 0, cut: 1, nullify: 2 } as const;

/** A scan's result; what `start` … `end` name are offsets into the bytes scanned. */
export class ChunkScan {
  /** No `choices`, or null: an upstream keep-alive unless it failed (T-8). */
  hasChoices = false;
  choicesStart = 0;
  choicesEnd = 0;
  choiceCount = 0;
  /** A choice has what belongs to the other kind of answer (`message` for chunks), or `text`, and says nothing else. */
  misplaced = false;
  /** A truthy `error`, or `object: "error"`. */
  failed = false;
  /** The last `usage` that is an object; −1 = none. */
  usageStart = -1;
  usageEnd = -1;
  /** Offsets of the object's `{` and of the byte past its `}`. */
  objectStart = 0;
  objectEnd = 0;
  hasModel = false;
  /** Names the opening this object shares with the one before; 0 = none. Up to `choicesStart` it was the same bytes. */
  openingId = 0;
  /** `model` stands in that opening: it is the first edit. */
  openingHasModel = false;
  /** `CONTENT` bits over all choices. */
  content = 0;
  /** Bytes of text, reasoning and calls over all choices, as written; media's don't count. */
  contentBytes = 0;
  // The arrays keep their length from chunk to chunk; `choiceCount` and `editCount` say how much of them counts.
  /** Per choice in order: its index, and its finish reason or null. */
  readonly indexes: number[] = [];
  readonly finishes: (string | null)[] = [];
  /** Of all choices; their content counts above as well. */
  readonly calls = new CallScan();
  editCount = 0;
  /** What the client's copy has otherwise, as spans in order: `EDIT` kinds. */
  readonly editKind: number[] = [];
  readonly editStart: number[] = [];
  readonly editEnd: number[] = [];

  readonly #payload: number;
  readonly #other: number;
  readonly #keepUsageKey: boolean;
  readonly #members: Member[] | null;
  #bytes: Uint8Array = NO_BYTES;
  #end = 0;
  readonly #opening = new ChunkOpening();
  #prevEnd = -1;
  #openCut = -1;
  #index = 0;
  #finish: string | null = null;
  /** The choice at hand has such a member. */
  #beside = false;

  /**
   * `delta` for chunks, `message` for whole answers. `keepUsageKey`: counts are written as `usage: null` instead of
   * being cut out with their key. `members`, if given, gets the top-level members of a single scan.
   */
  constructor(payload: 'delta' | 'message', keepUsageKey: boolean, members: Member[] | null = null) {
    this.#payload = payload === 'delta' ? KEY.delta : KEY.message;
    this.#other = payload === 'delta' ? KEY.message : KEY.delta;
    this.#keepUsageKey = keepUsageKey;
    this.#members = members;
  }

  /** Scans one whole object that starts at or behind `start`. Returns 0, or a negative error. */
  scan(bytes: Uint8Array, start: number, end: number): number {
    this.#reset(bytes, end);
    const at = skipSpace(bytes, start, end);
    if (at >= end || bytes[at] !== OPEN_BRACE) return ~at;
    this.objectStart = at;
    const behind = this.#opening.repeats(bytes, at, end)
      ? this.#fromChoices(at + this.#opening.length)
      : walkObject(bytes, at, end, 0, this.#topMember);
    if (behind < 0) return behind;
    this.objectEnd = behind;
    this.content |= this.calls.content;
    this.contentBytes += this.calls.contentBytes;
    if (this.#openCut !== -1) this.editEnd[this.#openCut] = behind - 1;
    const rest = skipSpace(bytes, behind, end);
    return rest === end ? 0 : ~rest;
  }

  /** Goes on at the value of `choices`, behind an opening that is known. */
  #fromChoices(at: number): number {
    const { id, modelStart, modelEnd } = this.#opening;
    this.openingId = id;
    this.hasModel = this.openingHasModel = modelStart !== -1;
    if (this.hasModel) this.#edit(EDIT.model, this.objectStart + modelStart, this.objectStart + modelEnd);
    const behind = this.#choices(at);
    if (behind < 0) return behind;
    this.#prevEnd = behind;
    return walkRest(this.#bytes, behind, this.#end, 0, this.#topMember);
  }

  /** Remembers what stands before `choices` if it is plain: nothing but `model` is to be edited in it. */
  #rememberOpening(at: number): void {
    const edits = this.editCount;
    if (this.#members !== null || this.failed || this.hasChoices || edits > 1) return;
    if (edits === 1 && this.editKind[0] !== EDIT.model) return;
    const model = edits === 1 ? [this.editStart[0]!, this.editEnd[0]!] : null;
    this.#opening.remember(this.#bytes, this.objectStart, at, model);
  }

  #reset(bytes: Uint8Array, end: number): void {
    this.#bytes = bytes;
    this.#end = end;
    this.#prevEnd = this.#openCut = this.usageStart = this.usageEnd = -1;
    this.hasChoices = this.failed = this.hasModel = this.misplaced = false;
    this.choiceCount = this.content = this.contentBytes = this.openingId = 0;
    this.editCount = 0;
    this.calls.reset(bytes, end);
  }

  readonly #topMember = (keyStart: number, keyEnd: number, at: number): number => {
    const bytes = this.#bytes;
    const key = keyAt(bytes, keyStart, keyEnd);
    if (this.#openCut !== -1) {
      this.editEnd[this.#openCut] = keyStart;
      this.#openCut = -1;
    }
    if (key === KEY.choices) this.#rememberOpening(at);
    const behind = key === KEY.choices ? this.#choices(at) : skipValue(bytes, at, this.#end, 1);
    if (behind < 0) return behind;
    this.#members?.push({ key: decodeString(bytes, keyStart, keyEnd), keyStart, valueStart: at, valueEnd: behind });
    if (key === KEY.model) {
      this.hasModel = true;
      this.#edit(EDIT.model, at, behind);
    } else if (key === KEY.usage) {
      this.#usage(keyStart, at, behind);
    } else if (key === KEY.error) {
      if (isTruthy(bytes, at, behind)) this.failed = true;
    } else if (key === KEY.object) {
      if (isErrorWord(bytes, at, behind)) this.failed = true;
    }
    if (this.#openCut === -1) this.#prevEnd = behind;
    return behind;
  };

  #edit(kind: number, start: number, end: number): void {
    const at = this.editCount++;
    this.editKind[at] = kind;
    this.editStart[at] = start;
    this.editEnd[at] = end;
  }

  #usage(keyStart: number, at: number, behind: number): void {
    const counts = this.#bytes[at] === OPEN_BRACE;
    if (counts) {
      this.usageStart = at;
      this.usageEnd = behind;
    }
    if (this.#keepUsageKey) {
      if (counts) this.#edit(EDIT.nullify, at, behind);
    } else if (this.#prevEnd !== -1) {
      this.#edit(EDIT.cut, this.#prevEnd, behind);
    } else {
      // First member: the cut goes on to the next key, which is not known yet.
      this.#openCut = this.editCount;
      this.#edit(EDIT.cut, keyStart, behind);
    }
  }

  /** `choices` that is neither array nor null can not be read (T-10). */
  #choices(at: number): number {
    const bytes = this.#bytes;
    if (bytes[at] !== OPEN_BRACKET) return bytes[at] === 0x6e ? skipValue(bytes, at, this.#end, 1) : ~at;
    const behind = walkArray(bytes, at, this.#end, 1, this.#choice);
    if (behind < 0) return behind;
    this.hasChoices = true;
    this.choicesStart = at;
    this.choicesEnd = behind;
    return behind;
  }

  readonly #choice = (at: number): number => {
    if (at >= this.#end || this.#bytes[at] !== OPEN_BRACE) return ~at;
    const place = this.choiceCount++;
    this.#index = 0;
    this.#finish = null;
    this.#beside = false;
    const said = this.contentBytes + this.calls.contentBytes;
    const behind = walkObject(this.#bytes, at, this.#end, 2, this.#choiceMember);
    if (this.#beside && this.contentBytes + this.calls.contentBytes === said) this.misplaced = true;
    this.indexes[place] = this.#index;
    this.finishes[place] = this.#finish;
    return behind;
  };

  readonly #choiceMember = (keyStart: number, keyEnd: number, at: number): number => {
    const bytes = this.#bytes;
    const key = keyAt(bytes, keyStart, keyEnd);
    if (key === this.#payload && at < this.#end && bytes[at] === OPEN_BRACE) {
      return walkObject(bytes, at, this.#end, 3, this.#payloadMember);
    }
    const behind = skipValue(bytes, at, this.#end, 3);
    if (behind < 0) return behind;
    // An empty string is how some upstreams write "not yet".
    if (key === KEY.finishReason && bytes[at] === QUOTE && behind - at > 2) {
      this.#finish = decodeString(bytes, at, behind);
    } else if (key === KEY.index) {
      this.#index = choiceIndex(bytes, at, behind);
    } else if (key === this.#other ? bytes[at] === OPEN_BRACE : key === KEY.text && behind - at > 2) {
      this.#beside = true;
    }
    return behind;
  };

  readonly #payloadMember = (keyStart: number, keyEnd: number, at: number): number => {
    const bytes = this.#bytes;
    const key = keyAt(bytes, keyStart, keyEnd);
    const first = at < this.#end ? bytes[at] : 0;
    if (key === KEY.toolCalls && first === OPEN_BRACKET) return this.calls.list(at, this.choiceCount - 1);
    if (key === KEY.functionCall && first === OPEN_BRACE) return this.calls.functionCall(at, this.choiceCount - 1);
    if (key === KEY.audio && first === OPEN_BRACE) return walkObject(bytes, at, this.#end, 4, this.#audioMember);
    const behind = skipValue(bytes, at, this.#end, 4);
    if (behind < 0) return behind;
    const bit = PAYLOAD_CONTENT[key] ?? 0;
    if (bit !== 0 && isFilled(bytes, at, behind)) {
      this.content |= bit;
      if ((bit & WORDS) !== 0) this.#count(at, behind);
    }
    return behind;
  };

  /** Its id alone is no content. */
  readonly #audioMember = (keyStart: number, keyEnd: number, at: number): number => {
    const key = keyAt(this.#bytes, keyStart, keyEnd);
    const behind = skipValue(this.#bytes, at, this.#end, 5);
    if (behind < 0) return behind;
    if ((key === KEY.data || key === KEY.transcript) && this.#filled(at, behind)) {
      this.content |= CONTENT.audio;
      if (key === KEY.transcript) this.#count(at, behind);
    }
    return behind;
  };

  /** Without the quotes. */
  #count(at: number, behind: number): void {
    this.contentBytes += behind - at - 2;
  }

  #filled(at: number, behind: number): boolean {
    return isFilled(this.#bytes, at, behind);
  }
}

const NO_BYTES = Buffer.alloc(0);

/** `CONTENT` bit of each `KEY` of a delta whose value counts by being filled. */
const PAYLOAD_CONTENT: readonly number[] = Object.values(KEY).map((key) => {
  if (key === KEY.content) return CONTENT.text;
  if (key === KEY.refusal) return CONTENT.refusal;
  if (key === KEY.reasoning) return CONTENT.reasoning;
  if (key === KEY.images) return CONTENT.images;
  return key === KEY.annotations ? CONTENT.annotations : 0;
});
