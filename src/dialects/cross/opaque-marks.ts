/**
 * reasoning state only its maker can read goes back to its maker byte for byte, and to nobody else. Where a client
 * gets it in a dialect that is not its maker's, it is wrapped: a constant mark, then who made it. What comes back without
 * a mark is of the client dialect's own vendor.
 */
import type { ClientDialectName } from '../../core/wire-names.ts';
import { bufferOf, textOf, utf8 } from '../bytes/text.ts';
import type { Call, Opaque, Part } from '../canonical.ts';
import type { UpstreamWrite } from '../contract.ts';

/**
 * How wrapped state starts. Eight letters and digits: whoever decodes the whole as base64 and encodes it again gets the
 * same text, up to the two letters in which the alphabets differ.
 */
export const MARK = 'uS7Dy4oP';

const MARK_BYTES = utf8(MARK);
const WRAPPED = /^[A-Za-z0-9+/_-]*={0,2}$/;
const SEPARATOR = '\0';
const LETTER_OF: Readonly<Record<Opaque['kind'], string>> = { signature: 's', sealed: 'x' };

/** Where the first mark stands in a body; −1 = none: nothing in it can be foreign. One native search. */
export function indexOfMark(bytes: Uint8Array, from = 0): number {
  return bufferOf(bytes).indexOf(MARK_BYTES, from);
}

/** State as a client of another dialect gets it. `vendor` stands in where the state names none. */
export function wrapOpaque(opaque: Opaque, vendor: string): string {
  const head = [opaque.vendor ?? vendor, LETTER_OF[opaque.kind], opaque.id ?? ''].join(SEPARATOR);
  const plain = utf8(`${head}${SEPARATOR}${opaque.data}`);
  // Whole groups of three need no padding, so strict and lenient decoders agree. No vendor starts with a space.
  const spaces = ' '.repeat((3 - (plain.length % 3)) % 3);
  return MARK + Buffer.concat([utf8(spaces), plain]).toString('base64url');
}

/** What was wrapped; null = this text carries no mark, or a broken one. */
export function unwrapOpaque(text: string): Opaque | null {
  if (!text.startsWith(MARK)) return null;
  const coded = text.slice(MARK.length);
  if (!WRAPPED.test(coded)) return null;
  const plain = textOf(Buffer.from(coded, 'base64url')).trimStart();
  const fields = splitFields(plain);
  if (fields === null) return null;
  const [vendor, letter, id, data] = fields;
  if (vendor === '' || (letter !== 's' && letter !== 'x')) return null;
  return { vendor, kind: letter === 's' ? 'signature' : 'sealed', id: id === '' ? null : id, data };
}

/** Vendor, kind, id, and the data with whatever it holds. */
function splitFields(plain: string): [string, string, string, string] | null {
  const first = plain.indexOf(SEPARATOR);
  const second = first === -1 ? -1 : plain.indexOf(SEPARATOR, first + 1);
  const third = second === -1 ? -1 : plain.indexOf(SEPARATOR, second + 1);
  if (third === -1) return null;
  return [
    plain.slice(0, first),
    plain.slice(first + 1, second),
    plain.slice(second + 1, third),
    plain.slice(third + 1),
  ];
}

/**
 * State as a client sent it: unwrapped, or, without a mark, of its dialect's own vendor. A broken mark is nobody's:
 * its vendor is null, so that it goes to no upstream.
 */
export function readOpaque(text: string, kind: Opaque['kind'], id: string | null, own: string): Opaque {
  const wrapped = unwrapOpaque(text);
  if (wrapped !== null) return wrapped;
  return { vendor: text.startsWith(MARK) ? null : own, kind, data: text, id };
}

/** State on its way to a client: as it is for the vendor the client's dialect takes it from, else wrapped. */
export function writeOpaque(opaque: Opaque, own: string, made: string): string {
  return (opaque.vendor ?? made) === own && opaque.id === null ? opaque.data : wrapOpaque(opaque, made);
}

/** Whose state a client of this dialect sends without a mark. The value of `ProviderRow.vendor`. */
export function ownVendor(dialect: ClientDialectName): string {
  if (dialect === 'gemini') return 'google';
  const dash = dialect.indexOf('-');
  return dash === -1 ? dialect : dialect.slice(0, dash);
}

/** Whether state may go to the target at hand; what may not is left out and recorded as `REASONING_DROPPED`. */
export function mayGo(opaque: Opaque, { target, bare }: Pick<UpstreamWrite, 'target' | 'bare'>): boolean {
  return bare !== true && opaque.vendor === target.vendor;
}

/** The word for `UpstreamBody.changes` where opaque reasoning was left out. */
export const REASONING_DROPPED = 'dropped opaque reasoning';

/**
 * The word where an earlier thought without any state was left out: the client's own copy of what it was shown, which no
 * upstream could have gone on from. It takes nothing away, and degrades nothing.
 */
export const THOUGHTS_LEFT_OUT = 'thoughts without state left out';

/**
 * State of a call, for dialects that have no room beside a call: as sealed reasoning of its own that names the call.
 * `stateToCalls` puts it back.
 */
export function stateOfCall(opaque: Opaque, callId: string): Opaque {
  return { ...opaque, id: CALL_PREFIX + callId };
}

const CALL_PREFIX = 'call:';

/** Gives every call its state back that `stateOfCall` set apart within the same turn. */
export function stateToCalls(parts: readonly Part[]): readonly Part[] {
  const states = new Map<string, Opaque>();
  for (const part of parts) {
    const opaque = part.type === 'reasoning' ? part.opaque : null;
    if (opaque?.id?.startsWith(CALL_PREFIX) === true) states.set(opaque.id.slice(CALL_PREFIX.length), opaque);
  }
  if (states.size === 0) return parts;
  const back: Part[] = [];
  for (const part of parts) {
    if (part.type === 'call') back.push(withState(part, states.get(part.id)));
    else if (part.type !== 'reasoning' || part.opaque?.id?.startsWith(CALL_PREFIX) !== true) back.push(part);
    else if (part.text !== '') back.push({ ...part, opaque: null });
  }
  return back;
}

function withState(call: Call, state: Opaque | undefined): Call {
  return state === undefined ? call : { ...call, opaque: { ...state, id: null } };
}
