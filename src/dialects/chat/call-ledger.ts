/**
 * The calls of one answer, and whether each is whole (dialects §8, §14.16): it has a name, and its arguments are one JSON
 * value or nothing at all. Which piece belongs to which call is decided as `canonical-reader.ts` decides it.
 */
import { QUOTE } from '../bytes/json-grammar.ts';
import { JsonProgress } from '../bytes/json-progress.ts';
import type { CallScan } from './call-scan.ts';

interface Call {
  /** As written; null = it told none. */
  id: Buffer | null;
  isNamed: boolean;
  isFunction: boolean;
  readonly input: JsonProgress;
}

interface Calls {
  readonly byIndex: Map<number, Call>;
  count: number;
  /** A call that another one took the place of was not whole. */
  hasBroken: boolean;
}

export class CallLedger {
  readonly #choices = new Map<number, Calls>();

  /** Notes what a scan found, and gives calls without an index theirs. `indexes`: the index of each choice of it. */
  note(scan: CallScan, bytes: Uint8Array, indexes: readonly number[]): void {
    for (let i = 0; i < scan.count; i++) {
      const choice = indexes[scan.places[i]!]!;
      let calls = this.#choices.get(choice);
      if (calls === undefined) {
        calls = { byIndex: new Map(), count: 0, hasBroken: false };
        this.#choices.set(choice, calls);
      }
      notePiece(callOf(calls, scan, i, bytes), scan, i, bytes);
    }
  }

  isWhole(choice: number): boolean {
    const calls = this.#choices.get(choice);
    if (calls === undefined) return true;
    if (calls.hasBroken) return false;
    for (const call of calls.byIndex.values()) if (!isWholeCall(call)) return false;
    return true;
  }
}

/** Call `i` of a scan, where each stands by itself: the whole answers' way. */
export function isWholeIn(scan: CallScan, i: number, bytes: Uint8Array): boolean {
  const call: Call = { id: null, isNamed: false, isFunction: false, input: new JsonProgress() };
  notePiece(call, scan, i, bytes);
  return isWholeCall(call);
}

function isWholeCall({ isNamed, isFunction, input }: Call): boolean {
  return !isFunction || (isNamed && input.isWhole);
}

/** Without an index: what brings an id begins a call, all else goes on with the last. */
function callOf(calls: Calls, scan: CallScan, i: number, bytes: Uint8Array): Call {
  const told = scan.indexes[i]!;
  const bringsId = scan.idStarts[i] !== -1;
  const index = told !== -1 ? told : bringsId ? calls.count : Math.max(0, calls.count - 1);
  scan.indexes[i] = index;
  const known = calls.byIndex.get(index);
  if (known !== undefined && !(bringsId && scan.named[i]! && hasOtherId(known, scan, i, bytes))) return known;
  // Some upstreams give every call the index 0: another id with a name begins another call.
  if (known !== undefined && !isWholeCall(known)) calls.hasBroken = true;
  const call: Call = { id: null, isNamed: false, isFunction: false, input: new JsonProgress() };
  calls.byIndex.set(index, call);
  calls.count++;
  return call;
}

function hasOtherId({ id, isNamed }: Call, scan: CallScan, i: number, bytes: Uint8Array): boolean {
  return isNamed && (id === null || id.compare(bytes, scan.idStarts[i], scan.idEnds[i]) !== 0);
}

function notePiece(call: Call, scan: CallScan, i: number, bytes: Uint8Array): void {
  if (scan.named[i]!) call.isNamed = true;
  if (scan.functions[i]!) call.isFunction = true;
  if (call.id === null && scan.idStarts[i] !== -1) {
    call.id = Buffer.from(bytes.subarray(scan.idStarts[i], scan.idEnds[i]));
  }
  const start = scan.inputStarts[i]!;
  const end = scan.inputEnds[i]!;
  if (start === -1) return;
  if (bytes[start] === QUOTE) call.input.addEscaped(bytes, start + 1, end - 1);
  else call.input.addBytes(bytes, start, end);
}
