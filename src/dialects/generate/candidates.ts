/** What candidates say: content, how much of it, and why they ended (T-1, F-5, dialects §7). */
import { type Json, objectOf } from '../failure/answer-faults.ts';
import { CONTENT } from '../stream/grammar.ts';
import { finishWord } from './finish-words.ts';

/** Members of a part that are a call, or what came of one, made on the upstream's side or asked of the client. */
const CALLS = ['functionCall', 'executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'] as const;

/** The candidates of one answer or chunk, summed up. One object, overwritten by each `read`. */
export class CandidatesReading {
  /** `CONTENT` bits. */
  content = 0;
  /** Of text, thoughts and calls, in UTF-8. */
  contentBytes = 0;
  count = 0;
  /** A call has no name, or arguments that are no object (dialects §8). */
  hasBrokenCall = false;
  /** By place in the list: the candidate's index, whether it said something, why it ended (null = it did not). */
  readonly indexes: number[] = [];
  readonly contents: number[] = [];
  readonly finishes: (string | null)[] = [];

  /** False = it is no list of candidates. */
  read(candidates: unknown): boolean {
    this.content = 0;
    this.contentBytes = 0;
    this.count = 0;
    this.hasBrokenCall = false;
    // A relay may write null where there are none.
    if (candidates === null) return true;
    if (!Array.isArray(candidates)) return false;
    for (const entry of candidates) {
      const candidate = objectOf(entry);
      if (candidate === null) return false;
      const at = this.count++;
      const { index } = candidate;
      this.indexes[at] = typeof index === 'number' ? index : at;
      this.contents[at] = this.#contentOf(candidate);
      this.finishes[at] = finishWord(candidate['finishReason']);
      this.content |= this.contents[at];
    }
    return true;
  }

  #contentOf(candidate: Json): number {
    const parts = objectOf(candidate['content'])?.['parts'];
    if (!Array.isArray(parts)) return 0;
    let bits = 0;
    for (const entry of parts) {
      const part = objectOf(entry);
      if (part !== null) bits |= this.#partBits(part);
    }
    return bits;
  }

  #partBits(part: Json): number {
    const { text } = part;
    if (typeof text === 'string' && text !== '') {
      this.contentBytes += Buffer.byteLength(text);
      return part['thought'] === true ? CONTENT.reasoning : CONTENT.text;
    }
    for (const name of CALLS) {
      const call = objectOf(part[name]);
      if (call === null) continue;
      if (name === 'functionCall' && isBrokenCall(call)) this.hasBrokenCall = true;
      this.contentBytes += Buffer.byteLength(JSON.stringify(part[name]));
      return CONTENT.call;
    }
    const media = objectOf(part['inlineData']) ?? objectOf(part['fileData']);
    if (media !== null) return String(media['mimeType']).startsWith('audio/') ? CONTENT.audio : CONTENT.images;
    const signature = part['thoughtSignature'];
    return typeof signature === 'string' && signature !== '' ? CONTENT.reasoning : 0;
  }
}

/** Pieces of a call that streams its arguments need no name: they have none of these arguments. */
export function isBrokenCall({ name, args }: Json): boolean {
  if (args === undefined || args === null) return false;
  return objectOf(args) === null || typeof name !== 'string' || name === '';
}

/** Why the prompt got no candidate; null = it did not say. */
export function blockReason(feedback: unknown): string | null {
  const reason = objectOf(feedback)?.['blockReason'];
  return typeof reason === 'string' && reason !== '' && !reason.endsWith('_UNSPECIFIED') ? reason : null;
}
