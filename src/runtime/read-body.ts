/** Reads a client's body: bounded, decoded, whole before anything is planned (a later attempt needs it again). */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { bad, good, type Read } from '../core/request/read.ts';
import { ByteCollector } from './byte-collector.ts';

const DECODERS = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) };

/** The client left before its body was whole. */
export class ClientLeft extends Error {}

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

function tooLarge(limit: number): Read<Uint8Array> {
  return bad('request_too_large', `the body is larger than ${limit} bytes (server.body_limit)`);
}

function printable(value: string): string {
  return JSON.stringify(value.slice(0, 80));
}
