/** Colours for terminals; plain text everywhere else. */

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  note(text: string): string;
}

const wrap =
  (open: number, close: number) =>
  (text: string): string =>
    `\u001b[${open}m${text}\u001b[${close}m`;
const plain = (text: string): string => text;

export const PLAIN: Paint = { bold: plain, dim: plain, good: plain, bad: plain, note: plain };
export const COLOURED: Paint = {
  bold: wrap(1, 22),
  dim: wrap(2, 22),
  good: wrap(32, 39),
  bad: wrap(31, 39),
  note: wrap(33, 39),
};

/** Colours only on a terminal that wants them: NO_COLOR and TERM=dumb turn them off, FORCE_COLOR on. */
export function choosePaint(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Paint {
  if ((env['NO_COLOR'] ?? '') !== '') return PLAIN;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced === '0' || forced === 'false' ? PLAIN : COLOURED;
  return isTerminal && env['TERM'] !== 'dumb' ? COLOURED : PLAIN;
}

/** Text from elsewhere (models, upstream messages) must not steer the terminal: control characters become `·`. */
export function tame(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '·');
}
