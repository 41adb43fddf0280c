/** Writes relayed chunks: one `data:` line each, the JSON byte for byte but for `model` and `usage` (T-8, R-3). */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { utf8 } from '../bytes/text.ts';
import { type ChunkScan, EDIT } from './chunk-scan.ts';

export const DATA_PREFIX: Uint8Array = utf8('data: ');
export const EVENT_END: Uint8Array = utf8('\n\n');
const MODEL_KEY = utf8('"model":');
const COMMA = utf8(',');
const NULL = utf8('null');

export class ChunkWriter {
  readonly #out: ByteWriter;
  /** As JSON. */
  readonly #servedModel: Uint8Array;
  /** What the opening of this id becomes, `data: ` included. */
  #openingId = 0;
  #opening: Uint8Array = NULL;

  constructor(out: ByteWriter, servedModel: Uint8Array) {
    this.#out = out;
    this.#servedModel = servedModel;
  }

  /** Writes the object that `scan` has just scanned; it ends before `end`. */
  write(scan: ChunkScan, data: Uint8Array, end: number): void {
    this.#out.reserve(end - scan.objectStart + this.#servedModel.length + 32);
    if (scan.openingId !== 0 && scan.openingHasModel) this.#writeOpened(scan, data, end);
    else this.#writeWhole(scan, data, end);
    this.#out.write(EVENT_END);
  }

  #writeWhole(scan: ChunkScan, data: Uint8Array, end: number): void {
    this.#out.write(DATA_PREFIX);
    let from = scan.objectStart;
    if (!scan.hasModel) {
      this.#out.write(data, from, ++from);
      this.#out.write(MODEL_KEY);
      this.#out.write(this.#servedModel);
      this.#out.write(COMMA);
    }
    this.#writeEdited(scan, 0, data, from, end);
  }

  /** The opening is the same as before, so its copy is written in one piece. */
  #writeOpened(scan: ChunkScan, data: Uint8Array, end: number): void {
    if (scan.openingId !== this.#openingId) {
      const { objectStart, choicesStart } = scan;
      const model = [data.subarray(objectStart, scan.editStart[0]), this.#servedModel];
      this.#opening = Buffer.concat([DATA_PREFIX, ...model, data.subarray(scan.editEnd[0], choicesStart)]);
      this.#openingId = scan.openingId;
    }
    this.#out.write(this.#opening);
    this.#writeEdited(scan, 1, data, scan.choicesStart, end);
  }

  #writeEdited(scan: ChunkScan, firstEdit: number, data: Uint8Array, start: number, end: number): void {
    const { editKind, editStart, editEnd } = scan;
    let from = start;
    for (let i = firstEdit; i < scan.editCount; i++) {
      this.#out.write(data, from, editStart[i]!);
      if (editKind[i] === EDIT.model) this.#out.write(this.#servedModel);
      else if (editKind[i] === EDIT.nullify) this.#out.write(NULL);
      from = editEnd[i]!;
    }
    this.#out.write(data, from, end);
  }
}
