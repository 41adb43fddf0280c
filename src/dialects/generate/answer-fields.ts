/** What an upstream's candidates say that no other dialect has words for: recorded, so that none of it goes in silence. */
import type { AnswerLosses } from '../cross/answer-losses.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';

const CANDIDATE_FIELDS: ReadonlySet<string> = new Set([
  'content',
  'finishReason',
  'index',
  'citationMetadata',
  'logprobsResult',
  'groundingMetadata',
  'urlContextMetadata',
]);
/** What words rest on; members of a candidate → how a record calls them. */
const GROUNDS = { groundingMetadata: 'grounding metadata', urlContextMetadata: 'url context metadata' } as const;
/** What the API's own tools did: nobody who is translated can ask for it. */
const OF_TOOLS = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'] as const;
const PART_FIELDS: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
  ...OF_TOOLS,
]);
const CALL_FIELDS: ReadonlySet<string> = new Set(['id', 'name', 'args']);
const MEDIA_FIELDS: ReadonlySet<string> = new Set(['mimeType', 'data', 'fileUri']);
const LOGPROBS_FIELDS: ReadonlySet<string> = new Set(['chosenCandidates', 'topCandidates', 'logProbabilitySum']);
const CITED_FIELDS: ReadonlySet<string> = new Set(['citations', 'citationSources']);
const SOURCE_FIELDS: ReadonlySet<string> = new Set(['uri', 'title', 'startIndex', 'endIndex']);

/** Its members beside its content. */
export function noteCandidate(candidate: Json, losses: AnswerLosses): void {
  losses.noteObject(candidate, CANDIDATE_FIELDS);
  for (const [key, name] of Object.entries(GROUNDS)) {
    const told = objectOf(candidate[key]);
    if (told !== null && Object.keys(told).length > 0) losses.drop(name);
  }
  const likely = objectOf(candidate['logprobsResult']);
  if (likely !== null) losses.noteObject(likely, LOGPROBS_FIELDS);
  const cited = objectOf(candidate['citationMetadata']);
  if (cited !== null) losses.noteObject(cited, CITED_FIELDS);
  const sources = cited?.['citationSources'] ?? cited?.['citations'];
  for (const source of Array.isArray(sources) ? sources : []) {
    const told = objectOf(source);
    if (told !== null) losses.noteObject(told, SOURCE_FIELDS);
  }
}

export function notePart(part: Json, losses: AnswerLosses): void {
  losses.noteObject(part, PART_FIELDS);
  for (const name of OF_TOOLS) if (objectOf(part[name]) !== null) losses.drop(name);
  const call = objectOf(part['functionCall']);
  if (call !== null) losses.noteObject(call, CALL_FIELDS);
  const media = objectOf(part['inlineData']) ?? objectOf(part['fileData']);
  if (media !== null) losses.noteObject(media, MEDIA_FIELDS);
}
