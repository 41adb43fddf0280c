/** A request as it comes in: its path, its body, and what it asks. */
import type { IncomingMessage } from 'node:http';
import type { ChatRequest } from './answer/request.ts';

/** Longest request body taken. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Stands for the request a step answers before reading it. */
export const NO_REQUEST: ChatRequest = {
  model: '*',
  stream: false,
  includeUsage: false,
  n: 1,
  maxTokens: null,
  tools: [],
  toolChoice: 'auto',
  parallelTools: true,
  schema: null,
  logprobs: null,
  lastUserText: '',
  lastRole: null,
  promptTokens: 0,
};

export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}

export function isChat(request: IncomingMessage): boolean {
  return request.method === 'POST' && pathOf(request).endsWith('/chat/completions');
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
