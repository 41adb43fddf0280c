/** the served model's name in a chunk, every other byte as it was. */
import { type BodyView, isScanError, scanObject } from '../bytes/body-view.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { bufferOf, jsonBytes, utf8 } from '../bytes/text.ts';
import type { ChunkScan } from './chunk-scan.ts';
import { MODEL_KEY } from './response.ts';

const MODEL_MEMBER = utf8(`"${MODEL_KEY}":`);
const COMMA = utf8(',');
const MOST_ROOM = 16 * 1024;

export class ChunkModel {
  /** As JSON. */
  readonly #model: Uint8Array;
  /** Room for one chunk as it is written: what `written` gave is good until it is asked again. */
  #room = Buffer.alloc(0);

  constructor(servedModel: string) {
    this.#model = jsonBytes(servedModel);
  }

  get edit(): Edit {
    return { op: 'set', key: MODEL_KEY, value: this.#model };
  }

  /** The chunk that has just been scanned, with the name; null = it has it already. */
  written({ model, objectStart, objectEnd, modelRepeats }: ChunkScan, data: Uint8Array): Uint8Array | null {
    if (modelRepeats) return edit(viewOfChunk(data.subarray(objectStart, objectEnd)), [this.edit]);
    const room = this.#roomFor(objectEnd - objectStart + this.#model.length + MODEL_MEMBER.length + COMMA.length);
    if (!model.present) return this.#added(room, data, objectStart, objectEnd);
    if (isSame(data, model.start, model.end, this.#model)) return null;
    let at = put(room, 0, data, objectStart, model.start);
    at = put(room, at, this.#model, 0, this.#model.length);
    at = put(room, at, data, model.end, objectEnd);
    return room.subarray(0, at);
  }

  #added(room: Buffer, data: Uint8Array, objectStart: number, objectEnd: number): Uint8Array {
    let at = put(room, 0, data, objectStart, objectStart + 1);
    at = put(room, at, MODEL_MEMBER, 0, MODEL_MEMBER.length);
    at = put(room, at, this.#model, 0, this.#model.length);
    at = put(room, at, COMMA, 0, COMMA.length);
    at = put(room, at, data, objectStart + 1, objectEnd);
    return room.subarray(0, at);
  }

  /** A large chunk, which holds an image, is not worth the room for all the others. */
  #roomFor(length: number): Buffer {
    if (length > MOST_ROOM) return Buffer.allocUnsafe(length);
    if (this.#room.length < length) this.#room = Buffer.allocUnsafe(2 * length);
    return this.#room;
  }
}

/** Copies a range; where the next one goes. */
function put(to: Buffer, at: number, from: Uint8Array, start: number, end: number): number {
  bufferOf(from).copy(to, at, start, end);
  return at + end - start;
}

function isSame(data: Uint8Array, start: number, end: number, other: Uint8Array): boolean {
  return end - start === other.length && bufferOf(other).compare(data, start, end) === 0;
}

/** Chunks were scanned when they came. */
export function viewOfChunk(json: Uint8Array): BodyView {
  const view = scanObject(json);
  if (isScanError(view)) throw new Error(`a scanned chunk can not be read: ${view.message}`);
  return view;
}
