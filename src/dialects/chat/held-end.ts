/**
 * The end of a chat stream: events from the last finish reason on are held, so that the report can go into the last
 * chunk that has choices and the counts into one chunk of their own (R-2, T-8).
 */
import type { Usage } from '../../core/usage/usage.ts';
import { type BodyView, isScanError, member, scanObject } from '../bytes/body-view.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { utf8 } from '../bytes/text.ts';
import { DATA_PREFIX, EVENT_END } from './chunk-writer.ts';
import { reportEdit } from './response.ts';
import { readUsage } from './usage.ts';

export const DONE: Uint8Array = utf8('data: [DONE]\n\n');

// A sample is only an envelope; one that holds an image is not worth keeping.
const MAX_SAMPLE = 16 * 1024;
const NULL = utf8('null');
const NO_CHOICES = utf8('[]');
const QUIET_CHOICES = utf8('[{"index":0,"delta":{},"finish_reason":null}]');
const BARE_CHUNK = utf8('{"object":"chat.completion.chunk"}');

/** One held chunk: JSON on one line. */
interface HeldChunk {
  readonly json: Uint8Array;
  /** Its `choices` is not empty. */
  readonly hasChoices: boolean;
}

export class HeldEnd {
  /** Bytes of the chunks held. */
  length = 0;
  readonly #servedModel: Uint8Array;
  /** The client asked for usage: it gets the counts, and sees `usage: null` elsewhere. */
  readonly #usageAsked: boolean;
  #held: HeldChunk[] = [];
  /** Any chunk with choices of this stream: the envelope where none is held. */
  #sample: Uint8Array | null = null;
  /** The last counts, and the upstream's own chunk of counts alone, if it came among the held. */
  #usageJson: Uint8Array | null = null;
  #usageChunk: Uint8Array | null = null;
  #usage: Usage | null = null;
  #usageRead = true;

  /** `servedModel` as JSON. */
  constructor(servedModel: Uint8Array, usageAsked: boolean) {
    this.#servedModel = servedModel;
    this.#usageAsked = usageAsked;
  }

  /** Bytes held beyond the first chunk: that one may be as large as any event. */
  get lengthBeyondFirst(): number {
    return this.length - (this.#held[0]?.json.length ?? 0);
  }

  get usage(): Usage | null {
    if (!this.#usageRead && this.#usageJson !== null) this.#usage = readUsage(this.#usageJson);
    this.#usageRead = true;
    return this.#usage;
  }

  hold(json: Uint8Array, hasChoices: boolean): void {
    this.#held.push({ json, hasChoices });
    this.length += json.length;
  }

  noteUsage(json: Uint8Array): void {
    this.#usageJson = json;
    this.#usageRead = false;
  }

  noteUsageChunk(json: Uint8Array): void {
    this.#usageChunk = json;
  }

  wantsSample(length: number): boolean {
    return this.#sample === null && length <= MAX_SAMPLE;
  }

  noteSample(json: Uint8Array): void {
    this.#sample = json;
  }

  /** What was held; nothing is from now on. */
  release(): Uint8Array[] {
    const released = this.#held.map((chunk) => chunk.json);
    this.#held = [];
    this.length = 0;
    this.#usageChunk = null;
    return released;
  }

  /** The held chunks, the report in the last one with choices, then the counts, then `[DONE]`. */
  write(report: Uint8Array | null, classic: boolean): Uint8Array {
    const out = new ByteWriter();
    out.expect(this.length + (report?.length ?? 0) + 1024);
    const last = this.#held.findLastIndex((chunk) => chunk.hasChoices);
    this.#held.forEach(({ json }, at) => {
      const edits = this.#baseEdits(json);
      if (report !== null && at === last) edits.push(reportEdit(report, classic));
      writeChunk(out, json, edits);
    });
    const sample = this.#sample ?? BARE_CHUNK;
    if (report !== null && last === -1) {
      // Nothing is held: `[DONE]` came without finish reason. A chunk that says nothing else carries the report.
      const quiet: Edit = { op: 'set', key: 'choices', value: QUIET_CHOICES };
      writeChunk(out, sample, [...this.#baseEdits(sample), quiet, reportEdit(report, classic)]);
    }
    if (this.#usageAsked && this.#usageJson !== null) {
      writeChunk(out, this.#usageChunk ?? this.#held[last]?.json ?? sample, [
        { op: 'set', key: 'model', value: this.#servedModel },
        { op: 'set', key: 'choices', value: NO_CHOICES },
        { op: 'set', key: 'usage', value: this.#usageJson },
      ]);
    }
    out.write(DONE);
    return out.take();
  }

  /** Model and counts as in every chunk (T-8). */
  #baseEdits(json: Uint8Array): Edit[] {
    const edits: Edit[] = [{ op: 'set', key: 'model', value: this.#servedModel }];
    if (!this.#usageAsked) edits.push({ op: 'remove', key: 'usage' });
    else if (hasCounts(json)) edits.push({ op: 'replace', key: 'usage', value: NULL });
    return edits;
  }
}

function hasCounts(json: Uint8Array): boolean {
  const found = member(viewOf(json), 'usage');
  return found !== null && json[found.valueStart] === OPEN_BRACE;
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
