/** Whether keys of the environment open all that a store holds: a shared store has no key file. */

import { readSealKey } from '../adapters/sealer/seal-key.ts';
import { keyIdOf } from '../adapters/sealer/sealed-text.ts';

const CURRENT = 'UNDERSTUDY_SEAL_KEY';
const OLDER = 'UNDERSTUDY_SEAL_KEYS_OLD';

type Env = Readonly<Record<string, string | undefined>>;

/** Ids of the keys that the environment names. Throws `SealKeyError`. */
export function keyIdsIn(env: Env): ReadonlySet<string> {
  const current = env[CURRENT]?.trim() ?? '';
  const older = (env[OLDER] ?? '').split(/[\s,]+/).filter((text) => text !== '');
  const all = [
    ...(current === '' ? [] : [[current, CURRENT] as const]),
    ...older.map((text) => [text, OLDER] as const),
  ];
  return new Set(all.map(([text, where]) => readSealKey(text, where).id));
}

/** Ids of the keys that were used and that the environment lacks. */
export function missingKeys(
  env: Env,
  sealed: { readonly texts: readonly string[]; readonly keyIds: readonly string[] },
): string[] {
  const known = keyIdsIn(env);
  const used = new Set([...sealed.keyIds, ...sealed.texts.map(keyIdOf).filter((id) => id !== null)]);
  return [...used].filter((id) => !known.has(id)).sort();
}

/** How to hand them over. */
export function sealKeyAdvice(dataDir: string): string {
  return `a shared store keeps no key file, so every gateway needs the same ${CURRENT}. If the folder has a seal.key, its first line is the key and further lines are older ones:
  export ${CURRENT}=$(grep -v '^#' ${dataDir}/seal.key | sed -n 1p)
  export ${OLDER}=$(grep -v '^#' ${dataDir}/seal.key | sed 1d | paste -sd,)`;
}
