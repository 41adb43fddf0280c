/** Keeps secrets out of everything that is shown or logged (E-5). Runs on failures only. */

/** Upstream texts are kept up to this many bytes (F-2). */
export const MAX_MESSAGE_BYTES = 2048;

// Six characters in a row are enough to recognise a key by (E-5).
const RUN = 6;
const MARK = '***';
// No message needs more; it bounds the scan of a page that was sent as a text.
const MAX_SCANNED = 32_768;

interface SecretShape {
  /** The first group is kept. */
  readonly pattern: RegExp;
  /** What the whole match must also be; spares words and model names. */
  readonly also?: (found: string) => boolean;
}

const hasDigitOrCapital = (text: string): boolean => /[0-9A-Z*]/.test(text.slice(3));

/** Things that look like a credential, whoever it belongs to. Each pattern takes a whole token, so it stays linear. */
const LOOKS_SECRET: readonly SecretShape[] = [
  { pattern: /\b((?:bearer|basic)\s{1,4})[A-Za-z0-9._~+/=*-]{6,}/gi },
  // The scheme and host of an address stay, its user and password go.
  { pattern: /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:]{0,256}:[^\s/@]{0,256}@/gi },
  { pattern: /([?&](?:key|api[_-]?key|token|access[_-]?token|secret|sig|signature|password)=)[^&\s"'<>]+/gi },
  {
    pattern: /\b(sk|rk|pk|ak|gsk|pplx|fw|hf|csk|nvapi|tgp|sess)[-_][A-Za-z0-9_.*-]{8,}/g,
    also: hasDigitOrCapital,
  },
  { pattern: /\b(eyJ)[A-Za-z0-9_.-]{12,}/g },
  { pattern: /\b(AIza)[A-Za-z0-9_*-]{8,}/g },
  { pattern: /\b(AKIA|ASIA)[A-Z0-9]{12,}/g },
  { pattern: /\b(org|proj|user|req|ak)[-_][A-Za-z0-9]{4,}/g, also: (id) => hasDigitOrCapital(id) || id.length > 20 },
  // Long runs of both cases and digits are keys and tokens, not words.
  { pattern: /\b()[A-Za-z0-9]{20,}/g, also: (run) => /[a-z]/.test(run) && /[A-Z]/.test(run) && /[0-9]/.test(run) },
];

function withoutShapes(text: string): string {
  let out = text;
  for (const { pattern, also } of LOOKS_SECRET) {
    out = out.replace(pattern, (found, keep: string) => (also === undefined || also(found) ? keep + MARK : found));
  }
  return out;
}

/** Every run of six characters of the secrets. */
function runsOf(secrets: readonly string[]): ReadonlySet<string> {
  const runs = new Set<string>();
  for (const secret of secrets) {
    for (let at = 0; at + RUN <= secret.length; at++) runs.add(secret.slice(at, at + RUN));
  }
  return runs;
}

/** Secrets too short for a run, looked for as whole words: hiding them inside words would spoil every message. */
function shortWords(secrets: readonly string[]): RegExp | null {
  const words = secrets.filter((secret) => secret.length >= 4 && secret.length < RUN);
  if (words.length === 0) return null;
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(`(?<![A-Za-z0-9])(?:${escaped.join('|')})(?![A-Za-z0-9])`, 'g');
}

/** Whether a run may stay as it is. */
type Spares = (run: string) => boolean;

function withoutRuns(text: string, runs: ReadonlySet<string>, spares: Spares | undefined): string {
  let out = '';
  let kept = 0;
  let hiddenTo = 0;
  for (let at = 0; at + RUN <= text.length; at++) {
    if (!isHidden(text.slice(at, at + RUN), runs, spares)) continue;
    if (at > hiddenTo || hiddenTo === 0) out += text.slice(kept, at) + MARK;
    hiddenTo = at + RUN;
    kept = hiddenTo;
  }
  return out + text.slice(kept);
}

function isHidden(run: string, runs: ReadonlySet<string>, spares: Spares | undefined): boolean {
  return runs.has(run) && spares?.(run) !== true;
}

function holdsRun(text: string, runs: ReadonlySet<string>, spares: Spares | undefined): boolean {
  for (let at = 0; at + RUN <= text.length; at++) if (isHidden(text.slice(at, at + RUN), runs, spares)) return true;
  return false;
}

/**
 * Makes the masker of a configuration: no six characters in a row of any of its secrets survive in the text it returns,
 * nor anything else that looks like a key, or an id of an account. Pure; build it once per configuration. `spares`: runs
 * that whoever will read the text has said himself. Hiding those would tell him that he has guessed right.
 */
export function makeMasker(secrets: readonly string[]): (text: string, spares?: Spares) => string {
  const runs = runsOf(secrets);
  const short = shortWords(secrets);
  return (text, spares) => {
    let out = withoutRuns(text.slice(0, MAX_SCANNED), runs, spares);
    if (short !== null) out = out.replace(short, MARK);
    out = withoutShapes(out);
    // What was cut out may have joined the rest into a run again, if a secret itself holds the mark.
    return holdsRun(out, runs, spares) ? MARK : out;
  };
}

/** Cuts a text to `maxBytes` of UTF-8 without splitting a character; half characters become U+FFFD. */
export function cutText(text: string, maxBytes = MAX_MESSAGE_BYTES): string {
  const bytes = new TextEncoder().encode(text.slice(0, maxBytes));
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  if (bytes.length <= maxBytes) return decoder.decode(bytes);
  return decoder.decode(bytes.subarray(0, maxBytes), { stream: true });
}
