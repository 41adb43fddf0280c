/** E-5 for identifiers: they are kept as they are for whoever asks the provider about them, unless one is a secret of ours. */

/** Six characters in a row are enough to recognise a key by. */
const RUN = 6;
const HIDDEN = '***';

/**
 * Makes the guard of a configuration's secrets: a text that holds six characters in a row of one becomes `***`, any
 * other stays. Unlike the masker it does not take what merely looks like a key for one. Pure; made once. `spares`: runs, in
 * small letters, that the reader has said himself (see the masker).
 */
export function secretGuard(secrets: Iterable<string>): (text: string, spares?: (run: string) => boolean) => string {
  const runs = new Set<string>();
  for (const secret of secrets) {
    for (let at = 0; at + RUN <= secret.length; at++) runs.add(secret.slice(at, at + RUN).toLowerCase());
  }
  return (text, spares) => {
    const folded = text.toLowerCase();
    for (let at = 0; at + RUN <= folded.length; at++) {
      const run = folded.slice(at, at + RUN);
      if (runs.has(run) && spares?.(run) !== true) return HIDDEN;
    }
    return text;
  };
}
