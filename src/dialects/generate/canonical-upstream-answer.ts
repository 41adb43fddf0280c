/** An upstream's whole answer as the canonical model has it. */

import { textOf } from '../bytes/text.ts';
import type { Call, CanonicalAnswer, CanonicalChoice, Part, ToolNames } from '../canonical.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { clientName } from '../cross/tool-names.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';
import { readCitations } from './answer-citations.ts';
import { noteCandidate, notePart } from './answer-fields.ts';
import { argumentsIn, callPrefix, mediaIn, nameOf, sealedOf, signatureOf } from './answer-parts.ts';
import { blockReason } from './candidates.ts';
import { finishOf } from './canonical-finish.ts';
import { finishWord } from './finish-words.ts';
import { readLogprobs } from './logprobs.ts';
import { readAnswer } from './response.ts';

/** Null = not a usable answer, a failed finish included (F-6). */
export function readUpstreamAnswer(bytes: Uint8Array, names: ToolNames): CanonicalAnswer | null {
  const answer = readAnswer(bytes);
  if (answer === null) return null;
  const { view, usage } = answer;
  const body = objectOf(JSON.parse(textOf(view.bytes, view.start, view.end)))!;
  const losses = new AnswerLosses();
  losses.noteObject(body, BODY_FIELDS);
  const reader = new CandidateReader(argumentsIn(view), callPrefix(body['responseId']), names, losses);
  const choices: CanonicalChoice[] = [];
  for (const [at, candidate] of candidatesOf(body).entries()) {
    const choice = reader.choice(candidate, at);
    if (choice === null) return null;
    choices.push(choice);
  }
  const blocked = blockReason(body['promptFeedback']);
  if (blocked === null || choices.length > 0) return choices.length === 0 ? null : { choices, usage, ...losses.told };
  const none: CanonicalChoice = {
    parts: [],
    finish: 'content_filter',
    finishRaw: blocked,
    stopSequence: null,
    logprobs: null,
  };
  return { choices: [none], usage, ...losses.told };
}

/** Names and versions are the upstream's own; why a prompt was blocked is how the answer ends. */
const BODY_FIELDS: ReadonlySet<string> = new Set([
  'candidates',
  'usageMetadata',
  'modelVersion',
  'responseId',
  'createTime',
  'promptFeedback',
]);

function candidatesOf(body: Json): Json[] {
  const list = body['candidates'];
  return (Array.isArray(list) ? list : []).map((entry) => objectOf(entry) ?? {});
}

class CandidateReader {
  readonly #inputs: readonly (readonly string[])[];
  readonly #prefix: string;
  readonly #names: ToolNames;
  readonly #losses: AnswerLosses;
  #calls = 0;

  constructor(inputs: readonly (readonly string[])[], prefix: string, names: ToolNames, losses: AnswerLosses) {
    this.#losses = losses;
    this.#inputs = inputs;
    this.#prefix = prefix;
    this.#names = names;
  }

  choice(candidate: Json, at: number): CanonicalChoice | null {
    const parts = this.#parts(candidate, this.#inputs[at] ?? []);
    const raw = finishWord(candidate['finishReason']);
    // None is made up: what ends without saying so may have been cut (dialects §8, §14.2).
    if (raw === null) return null;
    const finish = finishOf(
      raw,
      parts.some(({ type }) => type === 'call'),
    );
    if (finish === null) return null;
    const logprobs = readLogprobs(candidate['logprobsResult']);
    noteCandidate(candidate, this.#losses);
    return { parts: cited(parts, candidate, this.#losses), finish, finishRaw: raw, stopSequence: null, logprobs };
  }

  #parts(candidate: Json, inputs: readonly string[]): Part[] {
    const list = objectOf(candidate['content'])?.['parts'];
    const parts: Part[] = [];
    let calls = 0;
    for (const entry of Array.isArray(list) ? list : []) {
      const part = objectOf(entry);
      if (part === null) continue;
      notePart(part, this.#losses);
      const call = objectOf(part['functionCall']);
      const read = call === null ? otherPart(part) : this.#call(part, call, inputs[calls++] ?? '{}');
      if (read !== null) parts.push(read);
    }
    return parts;
  }

  #call(part: Json, call: Json, input: string): Call | null {
    const name = nameOf(call);
    if (name === null) return null;
    const told = call['id'];
    const id = typeof told === 'string' && told !== '' ? told : `${this.#prefix}${this.#calls}`;
    this.#calls++;
    const opaque = signatureOf(part);
    return {
      type: 'call',
      id,
      name: clientName(name, this.#names),
      form: 'function',
      input,
      ...(opaque === null ? {} : { opaque }),
    };
  }
}

/** What the API's own tools did is its own business; nobody who is translated can ask for them. */
function otherPart(part: Json): Part | null {
  const media = mediaIn(part);
  if (media !== null) return media;
  const { text } = part;
  const opaque = signatureOf(part);
  if (typeof text !== 'string' || text === '') {
    return opaque === null ? null : { type: 'reasoning', text: '', summary: true, opaque: sealedOf(opaque) };
  }
  if (part['thought'] === true) return { type: 'reasoning', text, summary: true, opaque };
  return { type: 'text', text, ...(opaque === null ? {} : { opaque }) };
}

/** Sources stand beside the parts: they go to the last text. */
function cited(parts: readonly Part[], candidate: Json, losses: AnswerLosses): readonly Part[] {
  const citations = readCitations(candidate['citationMetadata']);
  const at = parts.findLastIndex(({ type }) => type === 'text');
  const part = parts[at];
  if (citations.length === 0) return parts;
  if (part?.type !== 'text') {
    losses.drop('citations');
    return parts;
  }
  return parts.map((one, place) => (place === at ? { ...part, citations } : one));
}
