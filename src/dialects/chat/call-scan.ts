/**
 * The calls of one chunk or whole answer, told by spans of its bytes, in the pass that scans it. One serves a whole
 * stream: nothing is allocated per chunk.
 */
import { CLOSE_BRACE, OPEN_BRACE, QUOTE, skipValue, walkArray, walkObject } from '../bytes/json-grammar.ts';
import { CONTENT } from '../stream/grammar.ts';
import { KEY, keyAt } from './chunk-keys.ts';
import { choiceIndex, isFilled } from './chunk-values.ts';

const NO_BYTES = Buffer.alloc(0);

export class CallScan {
  /** `CONTENT.call` = something in them is filled. */
  content = 0;
  /** Bytes of names and arguments, as written. */
  contentBytes = 0;
  /** Of all calls; the arrays keep their length, this says how much of them counts. */
  count = 0;
  /** One of them tells no index. */
  lacksIndex = false;
  /** Which choice of the chunk it stands in, counted from 0. */
  readonly places: number[] = [];
  /** It is the one in `function_call`. */
  readonly legacy: boolean[] = [];
  /** It calls a function: others hold no JSON. */
  readonly functions: boolean[] = [];
  /** Its own index; −1 = it tells none. */
  readonly indexes: number[] = [];
  /** Span of its id, with its quotes; start −1 = none that says something. */
  readonly idStarts: number[] = [];
  readonly idEnds: number[] = [];
  readonly named: boolean[] = [];
  /** Span of its arguments, a string with its quotes or an object; start −1 = none that say something. */
  readonly inputStarts: number[] = [];
  readonly inputEnds: number[] = [];

  #bytes: Uint8Array = NO_BYTES;
  #end = 0;
  #place = 0;

  reset(bytes: Uint8Array, end: number): void {
    this.#bytes = bytes;
    this.#end = end;
    this.count = this.content = this.contentBytes = 0;
    this.lacksIndex = false;
  }

  /** The array at `at`; gives what is behind it, or a negative error. */
  list(at: number, place: number): number {
    this.#place = place;
    return walkArray(this.#bytes, at, this.#end, 4, this.#call);
  }

  /** The object of a `function_call` at `at`, likewise. */
  functionCall(at: number, place: number): number {
    this.#place = place;
    this.#begin(0, true);
    const behind = walkObject(this.#bytes, at, this.#end, 4, this.#functionMember);
    this.count++;
    return behind;
  }

  #begin(index: number, isLegacy: boolean): void {
    const { count } = this;
    this.places[count] = this.#place;
    this.legacy[count] = this.functions[count] = isLegacy;
    this.indexes[count] = index;
    this.idStarts[count] = this.inputStarts[count] = -1;
    this.named[count] = false;
  }

  readonly #call = (at: number): number => {
    if (at >= this.#end || this.#bytes[at] !== OPEN_BRACE) return skipValue(this.#bytes, at, this.#end, 5);
    this.#begin(-1, false);
    const behind = walkObject(this.#bytes, at, this.#end, 5, this.#callMember);
    if (this.indexes[this.count++] === -1) this.lacksIndex = true;
    return behind;
  };

  readonly #callMember = (keyStart: number, keyEnd: number, at: number): number => {
    const bytes = this.#bytes;
    const key = keyAt(bytes, keyStart, keyEnd);
    if (key === KEY.function && at < this.#end && bytes[at] === OPEN_BRACE) {
      this.functions[this.count] = true;
      return walkObject(bytes, at, this.#end, 6, this.#functionMember);
    }
    const behind = skipValue(bytes, at, this.#end, 6);
    if (behind < 0) return behind;
    if (key === KEY.index) this.indexes[this.count] = isDigit(bytes[at]!) ? choiceIndex(bytes, at, behind) : -1;
    else if ((key === KEY.id || key === KEY.custom) && isFilled(bytes, at, behind)) {
      this.content = CONTENT.call;
      if (key === KEY.custom) this.#size(at, behind);
      else if (bytes[at] === QUOTE) {
        this.idStarts[this.count] = at;
        this.idEnds[this.count] = behind;
      }
    }
    return behind;
  };

  /** Inside `function` or the legacy `function_call`. */
  readonly #functionMember = (keyStart: number, keyEnd: number, at: number): number => {
    const bytes = this.#bytes;
    const key = keyAt(bytes, keyStart, keyEnd);
    const behind = skipValue(bytes, at, this.#end, 7);
    if (behind < 0) return behind;
    if ((key === KEY.name || key === KEY.arguments) && isFilled(bytes, at, behind)) {
      this.content = CONTENT.call;
      this.#size(at, behind);
      if (key === KEY.name) this.named[this.count] = bytes[at] === QUOTE;
      else this.#input(at, behind);
    } else if (key === KEY.arguments && bytes[at] === OPEN_BRACE && bytes[behind - 1] === CLOSE_BRACE) {
      this.#input(at, behind);
    }
    return behind;
  };

  /** Some upstreams send an object instead of its text; anything else is nobody's arguments. */
  #input(at: number, behind: number): void {
    const first = this.#bytes[at];
    if (first !== QUOTE && first !== OPEN_BRACE) return;
    this.inputStarts[this.count] = at;
    this.inputEnds[this.count] = behind;
  }

  /** Without the quotes. */
  #size(at: number, behind: number): void {
    this.contentBytes += behind - at - 2;
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
