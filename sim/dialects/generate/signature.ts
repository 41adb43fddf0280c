/**
 * Thought signatures: state only its maker can read. The simulator's own tell for which model they were made and whether
 * anybody has changed them.
 */
import { hashText } from '../../random.ts';

const MAKER = 'sim-thought';
/** What the vendor lets pass in place of a signature it never made. */
const SENTINELS = ['context_engineering_is_the_way_to_go', 'skip_thought_signature_validator'];

/** Base64. The same for the same model and place; `place` says which part of which answer it stands on. */
export function makeSignature(model: string, place: string): string {
  const said = `${MAKER}\n${model}\n${place}`;
  return Buffer.from(`${said}\n${hashText(said).toString(16)}`).toString('base64');
}

/** What is wrong with a signature that came back, null = nothing. Strict models take only their own. */
export function signatureProblem(signature: string, model: string, strict: boolean): string | null {
  if (SENTINELS.includes(signature)) return null;
  const lines = Buffer.from(signature, 'base64').toString('utf8').split('\n');
  const said = lines.slice(0, -1).join('\n');
  if (lines[0] !== MAKER) return 'Invalid thought signature.';
  if (lines.length !== 4 || lines[3] !== hashText(said).toString(16)) return 'Corrupted thought signature.';
  return strict && lines[1] !== model ? 'Invalid thought signature.' : null;
}
