/**
 * R-5 for requests that stay in this dialect: signatures the target's vendor made pass byte for byte, wrapped ones are
 * unwrapped for their maker and taken out for everybody else. A model that insists on signed calls gets the calls that
 * lost theirs as text: the history stays readable, and nothing is refused.
 */
import { type BodyView, isScanError, readString, scanObject } from '../bytes/body-view.ts';
import { edit, setJson } from '../bytes/edit.ts';
import { OPEN_BRACE, OPEN_BRACKET, skipValue, walkArray } from '../bytes/json-grammar.ts';
import { bufferOf, jsonBytes, textOf, utf8 } from '../bytes/text.ts';
import type { UpstreamWrite } from '../contract.ts';
import { indexOfMark, MARK, mayGo, REASONING_DROPPED, unwrapOpaque } from '../cross/opaque-marks.ts';
import { given, objectGiven, removal } from './fields.ts';

/** The contents as one upstream gets them. */
export interface SignedContents {
  /** Null = as they came. */
  readonly contents: Uint8Array | null;
  readonly changes: readonly string[];
  /** Signatures go along. */
  readonly opaque: boolean;
}

const SIGNATURE = 'thoughtSignature';
/** What ends the member's name in both spellings. */
const NAME_END = Buffer.from('ignature"');
const NONE: SignedContents = { contents: null, changes: [], opaque: false };
/** The word for `UpstreamBody.changes` where calls became text. */
export const CALLS_FLATTENED = 'unsigned calls as text';

export function signContents(view: BodyView, write: Pick<UpstreamWrite, 'target' | 'bare'>): SignedContents {
  const { bytes } = view;
  if (!bufferOf(bytes).includes(NAME_END)) return NONE;
  if (write.bare !== true && indexOfMark(bytes) === -1) return { ...NONE, opaque: true };
  const contents = given(view, 'contents');
  if (contents === null) return NONE;
  const signer = new Signer(write);
  const written = signer.list(bytes, contents.valueStart, contents.valueEnd);
  if (!signer.changed) return { ...NONE, opaque: signer.kept };
  const changes = [...(signer.lost ? [REASONING_DROPPED] : []), ...(signer.flattened ? [CALLS_FLATTENED] : [])];
  return { contents: written, changes, opaque: signer.kept };
}

class Signer {
  changed = false;
  kept = false;
  lost = false;
  flattened = false;
  readonly #write: Pick<UpstreamWrite, 'target' | 'bare'>;
  readonly #strict: boolean;
  /** The calls said last became text, so their results must. */
  #asText = false;

  constructor(write: Pick<UpstreamWrite, 'target' | 'bare'>) {
    this.#write = write;
    this.#strict = write.target.lacks.has('unsigned_calls');
  }

  list(bytes: Uint8Array, start: number, end: number): Uint8Array {
    if (bytes[start] === OPEN_BRACE) return this.#content(bytes, start, end) ?? utf8('[]');
    return mapElements(bytes, start, end, (from, to) => this.#content(bytes, from, to));
  }

  /** Null = nothing is left of it. */
  #content(bytes: Uint8Array, start: number, end: number): Uint8Array | null {
    const content = scanObject(bytes, { start, end });
    const parts = isScanError(content) ? null : given(content, 'parts');
    if (isScanError(content) || parts === null || bytes[parts.valueStart] !== OPEN_BRACKET) {
      return bytes.subarray(start, end);
    }
    const lostBefore = this.lost;
    this.lost = false;
    const signed = mapElements(bytes, parts.valueStart, parts.valueEnd, (from, to) => this.#part(bytes, from, to));
    if (readString(content, 'role') === 'model') this.#asText = this.#strict && this.lost && isUnsigned(signed);
    this.lost ||= lostBefore;
    if (signed.length === NO_ELEMENTS && parts.valueEnd - parts.valueStart > NO_ELEMENTS) return null;
    const value = this.#asText
      ? mapElements(signed, 0, signed.length, (from, to) => this.#asTextPart(signed, from, to))
      : signed;
    return edit(content, [{ op: 'set', key: parts.key, value }]);
  }

  /** Null = nothing is left of it. */
  #part(bytes: Uint8Array, start: number, end: number): Uint8Array | null {
    const part = scanObject(bytes, { start, end });
    const found = isScanError(part) ? null : given(part, SIGNATURE);
    if (isScanError(part) || found === null) return bytes.subarray(start, end);
    const signature = readString(part, found.key) ?? '';
    const goes = this.#goes(signature);
    if (goes === signature) {
      this.kept = true;
      return bytes.subarray(start, end);
    }
    this.changed = true;
    if (goes !== null) {
      this.kept = true;
      return edit(part, [setJson(found.key, goes)]);
    }
    this.lost = true;
    const rest = edit(part, removal(part, SIGNATURE));
    return saysSomething(part) ? rest : null;
  }

  /** The signature as the target gets it; null = it does not. */
  #goes(signature: string): string | null {
    const { bare, target } = this.#write;
    if (bare === true) return null;
    if (!signature.startsWith(MARK)) return signature;
    const opaque = unwrapOpaque(signature);
    return opaque !== null && mayGo(opaque, { target }) ? opaque.data : null;
  }

  #asTextPart(bytes: Uint8Array, start: number, end: number): Uint8Array {
    const part = scanObject(bytes, { start, end });
    if (isScanError(part)) return bytes.subarray(start, end);
    const call = objectGiven(part, 'functionCall');
    const result = objectGiven(part, 'functionResponse');
    if ((call ?? result) === null) return bytes.subarray(start, end);
    this.flattened = true;
    this.changed = true;
    const said =
      call === null
        ? resultText(readString(result!, 'name') ?? '', memberText(result!, 'response'))
        : callText(readString(call, 'name') ?? '', memberText(call, 'args'));
    return jsonBytes({ text: said });
  }
}

/** The first call of these parts has no signature: those that follow it need none. */
function isUnsigned(parts: Uint8Array): boolean {
  let first: BodyView | null = null;
  walkArray(parts, 0, parts.length, 1, (at) => {
    const behind = skipValue(parts, at, parts.length, 2);
    const part = first === null && behind >= 0 ? scanObject(parts, { start: at, end: behind }) : null;
    if (part !== null && !isScanError(part) && given(part, 'functionCall') !== null) first = part;
    return behind;
  });
  return first !== null && given(first, SIGNATURE) === null;
}

/** How a call reads that may not be one any more. */
export function callText(name: string, args: string): string {
  return `[called ${name} with ${args}]`;
}

export function resultText(name: string, response: string): string {
  return `[${name} answered ${response}]`;
}

function memberText(view: BodyView, name: string): string {
  const found = given(view, name);
  return found === null ? '{}' : textOf(view.bytes, found.valueStart, found.valueEnd);
}

/** Something beside signature and mark of a thought. */
function saysSomething(part: BodyView): boolean {
  return part.members.some(({ key, valueStart, valueEnd }) => {
    if (['thought', SIGNATURE, 'thought_signature'].includes(key)) return false;
    return key !== 'text' || valueEnd - valueStart > 2;
  });
}

const NO_ELEMENTS = 2;
const OPEN = utf8('[');
const COMMA = utf8(',');
const CLOSE = utf8(']');

/** The array with each element as `write` has it; null leaves one out. */
function mapElements(
  bytes: Uint8Array,
  start: number,
  end: number,
  write: (start: number, end: number) => Uint8Array | null,
): Uint8Array {
  const pieces: Uint8Array[] = [OPEN];
  walkArray(bytes, start, end, 1, (at) => {
    const behind = skipValue(bytes, at, end, 2);
    const written = behind < 0 ? null : write(at, behind);
    if (written !== null) pieces.push(...(pieces.length > 1 ? [COMMA] : []), written);
    return behind;
  });
  pieces.push(CLOSE);
  return Buffer.concat(pieces);
}
