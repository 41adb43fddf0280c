/**
 * The end of a chat stream: events from the last finish reason on are held, so that the report can go into the last
 * chunk that has choices and the counts into one chunk of their own (R-2, T-8).
 */
import { type BodyView, isScanError, member, scanObject } from '../bytes/body-view.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { utf8 } from '../bytes/text.ts';
import { DATA_PREFIX, EVENT_END } from './chunk-writer.ts';

export const DONE: Uint8Array = utf8('data: [DONE]\n\n');

const NULL = utf8('null');
const NO_CHOICES = utf8('[]');
const QUIET_CHOICES = utf8('[{"index":0,"delta":{},"finish_reason":null}]');

/** One held chunk: JSON on one line. */
export interface HeldChunk {
  readonly json: Uint8Array;
  /** Its `choices` is not empty. */
  readonly hasChoices: boolean;
}

export interface TailParts {
  readonly held: readonly HeldChunk[];
  /** The upstream's own chunk of counts alone, if it came among the held. */
  readonly usageChunk: Uint8Array | null;
  /** The last counts as JSON, if the client asked for them. */
  readonly usage: Uint8Array | null;
  /** Any chunk with choices of this stream: the envelope where none is held. */
  readonly sample: Uint8Array;
  /** As JSON. */
  readonly servedModel: Uint8Array;
  readonly keepUsageKey: boolean;
}

/** Writes the held chunks, the report in the last one with choices, then the counts, then `[DONE]`. */
export function writeTail(out: ByteWriter, parts: TailParts, report: Uint8Array | null, classic: boolean): void {
  const reportAt = parts.held.findLastIndex((chunk) => chunk.hasChoices);
  const place = classic ? 'metadata' : 'understudy';
  parts.held.forEach((chunk, at) => {
    const edits = baseEdits(parts, chunk.json);
    if (report !== null && at === reportAt) edits.push({ op: 'set', key: place, value: report });
    writeChunk(out, chunk.json, edits);
  });
  if (report !== null && reportAt === -1) {
    // Nothing is held: `[DONE]` came without finish reason. A chunk that says nothing else carries the report.
    const edits = baseEdits(parts, parts.sample);
    edits.push({ op: 'set', key: 'choices', value: QUIET_CHOICES }, { op: 'set', key: place, value: report });
    writeChunk(out, parts.sample, edits);
  }
  if (parts.usage !== null) {
    const envelope = parts.usageChunk ?? parts.held[reportAt]?.json ?? parts.sample;
    writeChunk(out, envelope, [
      { op: 'set', key: 'model', value: parts.servedModel },
      { op: 'set', key: 'choices', value: NO_CHOICES },
      { op: 'set', key: 'usage', value: parts.usage },
    ]);
  }
  out.write(DONE);
}

/** Model and counts as in every chunk (T-8). */
function baseEdits(parts: TailParts, json: Uint8Array): Edit[] {
  const edits: Edit[] = [{ op: 'set', key: 'model', value: parts.servedModel }];
  if (!parts.keepUsageKey) edits.push({ op: 'remove', key: 'usage' });
  else if (json.length > 0) edits.push(...nullifiedUsage(json));
  return edits;
}

function nullifiedUsage(json: Uint8Array): Edit[] {
  const view = viewOf(json);
  const found = member(view, 'usage');
  const isCounts = found !== null && view.bytes[found.valueStart] === OPEN_BRACE;
  return isCounts ? [{ op: 'replace', key: 'usage', value: NULL }] : [];
}

function writeChunk(out: ByteWriter, json: Uint8Array, edits: readonly Edit[]): void {
  out.write(DATA_PREFIX);
  out.write(edit(viewOf(json), edits));
  out.write(EVENT_END);
}

/** Held chunks were scanned when they came. */
function viewOf(json: Uint8Array): BodyView {
  const view = scanObject(json);
  if (isScanError(view)) throw new Error(`a held chunk can not be read: ${view.message}`);
  return view;
}
