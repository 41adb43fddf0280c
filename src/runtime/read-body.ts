/**
 * Reads a client's body: bounded, decoded, whole before anything is planned (a later attempt needs it again). A form goes
 * into a spool as it comes; what is read of it is a JSON object of its fields.
 */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { bad, good, type Read } from '../core/request/read.ts';
import type { Operation } from '../core/wire-names.ts';
import type { RequestPlace } from '../dialects/contract.ts';
import { takesForms } from '../dialects/plain/endpoints.ts';
import { boundaryOf, isForm } from '../dialects/plain/form-codec.ts';
import { FormScanner } from '../dialects/plain/form-scanner.ts';
import { NoRoomForUpload, type OpenUploadSpool, type UploadSpool } from '../ports/upload-spool.ts';
import { ByteCollector } from './byte-collector.ts';

const DECODERS = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) };

/** The client left before its body was whole. */
export class ClientLeft extends Error {}

/** A body as dialects read it. */
export interface Received {
  readonly bytes: Uint8Array;
  readonly place: RequestPlace;
  /** To be closed when no attempt needs it any more; null = there is none. */
  readonly spool: UploadSpool | null;
}

/** What came, JSON or, where the operation takes them, a form. @param limit bytes, of what was sent and of what it decodes to */
export async function receiveBody(
  request: IncomingMessage,
  { route, place }: { readonly route: { readonly operation: Operation }; readonly place: RequestPlace },
  limit: number,
  openSpool: OpenUploadSpool,
): Promise<Read<Received>> {
  const type = request.headers['content-type'];
  if (takesForms(route.operation) && type !== undefined && isForm(type)) {
    return readUpload(request, type, place, limit, openSpool());
  }
  const body = await readBody(request, limit);
  return body.ok ? good({ bytes: body.value, place, spool: null }) : body;
}

async function readUpload(
  request: IncomingMessage,
  contentType: string,
  place: RequestPlace,
  limit: number,
  spool: UploadSpool,
): Promise<Read<Received>> {
  const boundary = boundaryOf(contentType);
  if (boundary === null) return bad('invalid_parameter', 'the content-type of the form names no boundary');
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return bad('unsupported_media_type', `content-encoding is ${printable(encoding)}; send forms as they are`);
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) return tooLarge(limit);
  const form = new FormScanner(boundary);
  try {
    if (!(await spoolForm(request, form, spool, limit))) return closed(spool, tooLarge(limit));
  } catch (error) {
    spool.close();
    if (!(error instanceof NoRoomForUpload)) throw error;
    const message = 'the gateway has no room to hold this upload right now; send it again later';
    return bad('store_unavailable', message);
  }
  const fields = form.finish();
  if (typeof fields === 'string') return closed(spool, bad('invalid_parameter', `the form can not be read: ${fields}`));
  const upload = { contentType, parts: form.parts, body: spool };
  return good({ bytes: fields, place: { ...place, upload }, spool });
}

function closed<T>(spool: UploadSpool, result: T): T {
  spool.close();
  return result;
}

/** False = it is longer than allowed. A client goes on sending a bad form: it is read to its end, and not kept. */
async function spoolForm(
  request: IncomingMessage,
  form: FormScanner,
  spool: UploadSpool,
  limit: number,
): Promise<boolean> {
  let length = 0;
  for await (const chunk of pieces(request)) {
    length += chunk.length;
    if (length > limit) return false;
    form.push(chunk);
    if (form.fault === null) await spool.push(chunk);
  }
  return true;
}

/** The connection stays open for the answer, also where reading ends before the body does. */
async function* pieces(request: IncomingMessage): AsyncIterable<Buffer> {
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch {
    throw new ClientLeft();
  }
  if (!request.complete) throw new ClientLeft();
}

/** @param limit bytes, of what was sent and of what it decodes to */
export async function readBody(request: IncomingMessage, limit: number): Promise<Read<Uint8Array>> {
  const type = request.headers['content-type'];
  if (type !== undefined && !isJson(type)) {
    return bad('unsupported_media_type', `content-type is ${printable(type)}; send application/json`);
  }
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity' && !Object.hasOwn(DECODERS, encoding)) {
    return bad(
      'unsupported_media_type',
      `content-encoding is ${printable(encoding)}; send identity, gzip, deflate or br`,
    );
  }
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) return tooLarge(limit);
  const raw = await collect(request, limit);
  if (raw === null) return tooLarge(limit);
  if (encoding === 'identity') return good(raw);
  return decode(raw, encoding as keyof typeof DECODERS, limit);
}

function collect(request: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const body = new ByteCollector();
    let over = false;
    request.on('data', (chunk: Buffer) => {
      if (over) return;
      body.push(chunk);
      if (body.length > limit) {
        over = true;
        resolve(null);
      }
    });
    request.on('end', () => resolve(over ? null : body.bytes()));
    request.on('error', () => reject(new ClientLeft()));
    request.on('close', () => {
      if (!request.complete) reject(new ClientLeft());
    });
  });
}

async function decode(raw: Uint8Array, encoding: keyof typeof DECODERS, limit: number): Promise<Read<Uint8Array>> {
  try {
    return good(await DECODERS[encoding](raw, { maxOutputLength: limit }));
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(limit);
    return bad('unsupported_media_type', `the body is not valid ${encoding}`);
  }
}

function isJson(type: string): boolean {
  const media = type.split(';', 1)[0]!.trim().toLowerCase();
  return media === '' || media === 'application/json' || media.endsWith('+json');
}

function tooLarge(limit: number): ReturnType<typeof bad> {
  return bad('request_too_large', `the body is larger than ${limit} bytes (server.body_limit)`);
}

function printable(value: string): string {
  return JSON.stringify(value.slice(0, 80));
}
