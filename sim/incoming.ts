/** A request as it comes in: its path, its body, and what it asks. */
import type { IncomingMessage } from 'node:http';
import type { Ask } from './dialects/dialect.ts';

/** Longest request body taken. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Method, path and query as dialects look at them. */
export function askOf(request: IncomingMessage): Ask {
  const url = request.url ?? '/';
  const at = url.indexOf('?');
  return {
    method: request.method ?? 'GET',
    path: at < 0 ? url : url.slice(0, at),
    query: new URLSearchParams(at < 0 ? '' : url.slice(at + 1)),
    headers: request.headers,
  };
}

/** The whole body, or a little more than the limit of it; null when the peer went away first. */
export function readBody(request: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on('data', (part: Buffer) => {
      if (size <= MAX_BODY_BYTES) parts.push(part);
      size += part.byteLength;
    });
    request.on('end', () => resolve(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)));
    request.on('error', () => resolve(null));
    request.on('close', () => resolve(null));
  });
}

export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
