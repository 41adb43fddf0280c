/**
 * `${ENV}` and `${ENV:-default}`. Written unquoted inside `{ … }` they would not be YAML, so before parsing each one is
 * replaced by private-use characters of the same length (places in the file stay right) and put back, filled in, in
 * every string afterwards. `$${X}` stands for a literal `${X}`.
 */

export interface EnvReference {
  /** As written, e.g. `${DEV_KEY:-none}`. */
  readonly written: string;
  /** Null: no reference but literal text (`$${…}`), or a malformed one. */
  readonly variable: string | null;
  /** After `:-`; null when there is none. */
  readonly fallback: string | null;
  readonly literal: string | null;
}

export interface ProtectedText {
  readonly text: string;
  readonly references: readonly EnvReference[];
}

const START = '\uE000';
const PAD = '\uE001';
const DIGIT = 0xe100;
const BASE = 1024;
const WRITTEN = /\$?\$\{[^}\n]*\}/g;
const MARKED = new RegExp(`${START}([\uE100-\uE4FF])([\uE100-\uE4FF])${PAD}*`, 'g');
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function readReference(written: string): EnvReference {
  if (written.startsWith('$$')) return { written, variable: null, fallback: null, literal: written.slice(1) };
  const inner = written.slice(2, -1);
  const at = inner.indexOf(':-');
  const variable = at === -1 ? inner : inner.slice(0, at);
  const fallback = at === -1 ? null : inner.slice(at + 2);
  const sound = NAME.test(variable) && !(fallback?.includes('${') ?? false);
  return { written, variable: sound ? variable : null, fallback, literal: null };
}

/** Swaps every reference for a marker of equal length. */
export function protectReferences(source: string): ProtectedText {
  const references: EnvReference[] = [];
  const text = source.replace(WRITTEN, (written) => {
    if (written.length < 3 || references.length >= BASE * BASE) return written;
    const index = references.push(readReference(written)) - 1;
    const digits = String.fromCharCode(DIGIT + Math.floor(index / BASE), DIGIT + (index % BASE));
    return START + digits + PAD.repeat(written.length - 3);
  });
  return { text, references };
}

/** What a string became: `variables` are those that went into it. */
export interface Filled {
  readonly text: string;
  readonly variables: readonly string[];
  /** Variables without value and without default. */
  readonly missing: readonly string[];
  /** References that are none: `${}`, `${a b}`, `${A:-${B}}`, `${A` without its brace. */
  readonly malformed: readonly string[];
}

/** Puts values back. As in a shell, `:-` also stands in for an empty variable. */
export function fillReferences(
  text: string,
  references: readonly EnvReference[],
  env: Readonly<Record<string, string | undefined>>,
): Filled {
  const open = text.indexOf('${');
  const malformed: string[] = open === -1 ? [] : [text.slice(open, open + 40)];
  if (!text.includes(START)) return { text, variables: [], missing: [], malformed };
  const variables: string[] = [];
  const missing: string[] = [];
  const filled = text.replace(MARKED, (marker, high: string, low: string) => {
    const reference = references[(high.charCodeAt(0) - DIGIT) * BASE + low.charCodeAt(0) - DIGIT];
    if (reference === undefined) return marker;
    if (reference.literal !== null) return reference.literal;
    if (reference.variable === null) {
      malformed.push(reference.written);
      return reference.written;
    }
    variables.push(reference.variable);
    const value = Object.hasOwn(env, reference.variable) ? env[reference.variable] : undefined;
    if (reference.fallback !== null) return value === undefined || value === '' ? reference.fallback : value;
    if (value === undefined) missing.push(reference.variable);
    return value ?? '';
  });
  return { text: filled, variables, missing, malformed };
}

/** The text as it was written, for messages about YAML itself. */
export function restoreReferences(text: string, references: readonly EnvReference[]): string {
  return text.replace(MARKED, (marker, high: string, low: string) => {
    return references[(high.charCodeAt(0) - DIGIT) * BASE + low.charCodeAt(0) - DIGIT]?.written ?? marker;
  });
}
