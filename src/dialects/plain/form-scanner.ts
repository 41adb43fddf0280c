/**
 * Reads a multipart form piece by piece, wherever the pieces are cut: notes where its parts lie, keeps the text of its
 * fields and the digests of its files. Nothing of a file stays in memory.
 */
import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { type FormField, fieldsObject } from './form-fields.ts';

/** A part, with offsets in the whole body. */
export interface FormPart {
  readonly name: string;
  readonly isFile: boolean;
  /** From its delimiter to the next one. */
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
  readonly end: number;
}

/** Why a body is no form, in words for its sender. */
export type FormFault = string;

/** Of one part's headers; they hold a name and a type. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Of all fields that are no files; the longest prompts come to a tenth of it. */
const MAX_FIELD_BYTES = 1024 * 1024;
/** No form of any API has as many. */
const MAX_PARTS = 1000;

const CRLF = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');
const DASH = 0x2d;

interface Open {
  readonly name: string;
  readonly fileName: string | null;
  readonly contentType: string;
  readonly start: number;
  readonly valueStart: number;
  /** Of a file. */
  readonly hash: Hash | null;
  /** Of a field. */
  readonly text: Buffer[];
}

type State = 'delimiter' | 'after_delimiter' | 'headers' | 'value' | 'end';

export class FormScanner {
  fault: FormFault | null = null;
  readonly parts: FormPart[] = [];
  readonly #fields: FormField[] = [];
  /** With the line break before it, which belongs to it. */
  readonly #delimiter: Buffer;
  #state: State = 'delimiter';
  /** What has come and not been read; a body without line break before its first delimiter is read as if it had one. */
  #rest: Buffer = CRLF;
  /** Offset of its first byte in the whole body. */
  #at = -CRLF.length;
  #open: Open | null = null;
  /** Where the delimiter that is being read begins, without its line break. */
  #partStart = 0;
  #fieldBytes = 0;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  push(chunk: Uint8Array): void {
    if (this.fault !== null || this.#state === 'end') return;
    this.#rest = this.#rest.length === 0 ? bufferOf(chunk) : Buffer.concat([this.#rest, chunk]);
    while (this.fault === null && this.#step());
  }

  /** The fields as one JSON object, files by their digests; a text = what is wrong with the form. */
  finish(): Uint8Array | FormFault {
    if (this.fault !== null) return this.fault;
    if (this.#state !== 'end') return 'the form ends before its closing delimiter';
    return fieldsObject(this.#fields);
  }

  /** False = more bytes are needed. */
  #step(): boolean {
    switch (this.#state) {
      case 'delimiter':
        return this.#findFirst();
      case 'after_delimiter':
        return this.#afterDelimiter();
      case 'headers':
        return this.#headers();
      case 'value':
        return this.#value();
      case 'end':
        return false;
    }
  }

  #take(length: number): void {
    this.#rest = this.#rest.subarray(length);
    this.#at += length;
  }

  #findFirst(): boolean {
    const found = this.#rest.indexOf(this.#delimiter);
    if (found < 0) {
      this.#take(Math.max(0, this.#rest.length - this.#delimiter.length + 1));
      return false;
    }
    this.#take(found);
    this.#enterDelimiter();
    return true;
  }

  #enterDelimiter(): void {
    this.#partStart = this.#at + CRLF.length;
    this.#take(this.#delimiter.length);
    this.#state = 'after_delimiter';
  }

  #afterDelimiter(): boolean {
    const rest = this.#rest;
    if (rest.length < 2) return false;
    if (rest[0] === DASH && rest[1] === DASH) {
      this.#state = 'end';
      return false;
    }
    const end = rest.indexOf(CRLF);
    if (end < 0 && rest.length < MAX_HEADER_BYTES) return false;
    if (end < 0 || rest.toString('latin1', 0, end).trim() !== '')
      return this.#fail('a delimiter is followed by other bytes');
    // The line break stays: part headers end with an empty line, also when there are none.
    this.#take(end);
    this.#state = 'headers';
    return true;
  }

  #headers(): boolean {
    const end = this.#rest.indexOf(HEADERS_END);
    if (end > MAX_HEADER_BYTES || (end < 0 && this.#rest.length > MAX_HEADER_BYTES)) {
      return this.#fail(`the headers of a part are longer than ${MAX_HEADER_BYTES} bytes`);
    }
    if (end < 0) return false;
    const lines = this.#rest.toString('utf8', 0, end).split('\r\n');
    this.#take(end + HEADERS_END.length);
    const disposition = headerOf(lines, 'content-disposition');
    const name = disposition === null ? null : parameterOf(disposition, 'name');
    if (name === null || name === '') return this.#fail('a part has no name');
    if (this.parts.length >= MAX_PARTS) return this.#fail(`it has more than ${MAX_PARTS} parts`);
    const fileName = parameterOf(disposition ?? '', 'filename\\*?');
    this.#open = {
      name,
      fileName,
      contentType: headerOf(lines, 'content-type') ?? '',
      start: this.#partStart,
      valueStart: this.#at,
      hash: fileName === null ? null : createHash('sha256'),
      text: [],
    };
    this.#state = 'value';
    return true;
  }

  #value(): boolean {
    const rest = this.#rest;
    const delimiter = this.#delimiter;
    const found = rest.indexOf(delimiter);
    const known = found < 0 ? Math.max(0, rest.length - delimiter.length + 1) : found;
    this.#collect(rest.subarray(0, known));
    this.#take(known);
    if (found < 0) return false;
    const valueEnd = this.#at;
    this.#close(valueEnd, valueEnd + CRLF.length);
    this.#enterDelimiter();
    return true;
  }

  #collect(bytes: Buffer): void {
    const open = this.#open;
    if (open === null || bytes.length === 0) return;
    if (open.hash !== null) {
      open.hash.update(bytes);
      return;
    }
    this.#fieldBytes += bytes.length;
    if (this.#fieldBytes > MAX_FIELD_BYTES) {
      this.#fail(`its fields have more than ${MAX_FIELD_BYTES} bytes; what is long belongs into a file part`);
      return;
    }
    // A copy: the piece it came in, which may be long, is not to be held by a word of it.
    open.text.push(Buffer.from(bytes));
  }

  #close(valueEnd: number, end: number): void {
    const open = this.#open;
    if (open === null) return;
    const { name, fileName, contentType, start, valueStart, hash, text } = open;
    this.parts.push({ name, isFile: hash !== null, start, valueStart, valueEnd, end });
    const file = { fileName: fileName ?? '', contentType, bytes: valueEnd - valueStart };
    if (hash !== null) this.#fields.push({ name, file: { ...file, sha256: hash.digest('hex') } });
    else this.#fields.push({ name, text: Buffer.concat(text) });
    this.#open = null;
  }

  #fail(fault: FormFault): false {
    this.fault = fault;
    return false;
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function headerOf(lines: readonly string[], name: string): string | null {
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0 && line.slice(0, colon).trim().toLowerCase() === name) return line.slice(colon + 1).trim();
  }
  return null;
}

/** `name="…"` as browsers write it: a quote inside is `%22`, or has a backslash before it. */
function parameterOf(header: string, name: string): string | null {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;]*))`, 'i').exec(header);
  if (found === null) return null;
  return (found[1] ?? found[2] ?? '').replaceAll(/\\(.)/g, '$1').replaceAll('%22', '"');
}
