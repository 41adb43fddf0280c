/** Members of an answer that are read here, or tell of the call alone: all others are recorded. */
import type { BodyView } from '../bytes/body-view.ts';
import { objectAt, objectsIn } from '../bytes/nested.ts';
import type { AnswerLosses } from '../cross/answer-losses.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';

/** `metrics`: how long it took. */
export const ANSWER_FIELDS: ReadonlySet<string> = new Set(['output', 'stopReason', 'usage', 'metrics']);
export const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content']);
export const USE_FIELDS: ReadonlySet<string> = new Set(['toolUseId', 'name', 'input']);
const THOUGHT_FIELDS: ReadonlySet<string> = new Set(['reasoningText', 'redactedContent']);
const SIGNED_FIELDS: ReadonlySet<string> = new Set(['text', 'signature']);
const CITED_FIELDS: ReadonlySet<string> = new Set(['content', 'citations']);
const TEXT_FIELDS: ReadonlySet<string> = new Set(['text']);
const IMAGE_FIELDS: ReadonlySet<string> = new Set(['format', 'source']);
const SOURCE_FIELDS: ReadonlySet<string> = new Set(['bytes']);
const BLOCK_FIELDS: ReadonlySet<string> = new Set(['text', 'toolUse', 'reasoningContent', 'citationsContent', 'image']);

/** `keys`: what a block is, and what stands beside it. */
export function noteBlock(keys: Iterable<string>, losses: AnswerLosses): void {
  const all = [...keys];
  const isKnown = all.some((key) => BLOCK_FIELDS.has(key));
  for (const key of all) {
    if (BLOCK_FIELDS.has(key)) continue;
    if (isKnown) losses.leaveOut(key);
    else losses.drop(key);
  }
}

const STEP_FIELDS: ReadonlySet<string> = new Set(['text', 'toolUse', 'reasoningContent', 'citation', 'image']);
const STEP_THOUGHT_FIELDS: ReadonlySet<string> = new Set([...SIGNED_FIELDS, 'redactedContent']);

/** A step of a block: what it says beside, or instead. */
export function noteStep(delta: Json, losses: AnswerLosses): void {
  let known = false;
  for (const key in delta) known ||= STEP_FIELDS.has(key);
  if (known) losses.noteObject(delta, STEP_FIELDS);
  else for (const key in delta) losses.drop(key);
  const thought = objectOf(delta['reasoningContent']);
  if (thought !== null) losses.noteObject(thought, STEP_THOUGHT_FIELDS);
  const image = objectOf(delta['image']);
  if (image === null) return;
  losses.noteObject(image, IMAGE_FIELDS);
  const source = objectOf(image['source']);
  if (source !== null) losses.noteObject(source, SOURCE_FIELDS);
}

const START_FIELDS: ReadonlySet<string> = new Set(['toolUse', 'image']);

/** The beginning of a block that is told of. */
export function noteStart(start: Json, losses: AnswerLosses): void {
  if (objectOf(start['toolUse']) === null && objectOf(start['image']) === null) noteBlock(Object.keys(start), losses);
  else losses.noteObject(start, START_FIELDS);
}

/** Members inside of a whole block that nobody knows. */
export function noteInside(block: BodyView, losses: AnswerLosses): void {
  const inside = (view: BodyView | null, key: string, known: ReadonlySet<string>): BodyView | null => {
    const found = view === null ? null : objectAt(view, key);
    if (found !== null) losses.noteView(found, known);
    return found;
  };
  inside(inside(block, 'reasoningContent', THOUGHT_FIELDS), 'reasoningText', SIGNED_FIELDS);
  inside(inside(block, 'image', IMAGE_FIELDS), 'source', SOURCE_FIELDS);
  const cited = inside(block, 'citationsContent', CITED_FIELDS);
  for (const piece of cited === null ? [] : objectsIn(cited, 'content')) losses.noteView(piece, TEXT_FIELDS);
}
