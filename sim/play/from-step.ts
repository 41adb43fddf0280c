/** The bytes of a script's step for one request. */
import { gzipSync } from 'node:zlib';
import type { Behaviour } from '../answer/behaviour.ts';
import { readReadyMade } from '../answer/ready-made.ts';
import type { Asked } from '../dialects/dialect.ts';
import { hashText, pickWeighted, seededRandom } from '../random.ts';
import type { Chunk, Step } from '../script/step.ts';
import { type Chance, replyOf } from './from-behaviour.ts';
import { headerMap, type Piece, type Reply } from './reply.ts';
import { splitPieces } from './split.ts';

/** Composes the reply of a step; `run` counts how often this step has answered before. */
export function replyOfStep(step: Step, run: number, asked: Asked, chance: Chance): Reply {
  if (step.chunks !== undefined) return rawReply(step, run, chunkPieces(step.chunks), 'text/event-stream', null);
  if (step.body !== undefined) {
    const bytes = bodyBytes(step.body);
    return rawReply(step, run, whole(bytes), contentTypeOf(step.body), bytes.byteLength);
  }
  if (step.body_gzip !== undefined) {
    const bytes = gzipSync(bodyBytes(step.body_gzip));
    const headers = headerMap({ 'content-encoding': 'gzip' }, step.headers);
    const gzipped = { ...step, headers: Object.fromEntries(headers) };
    return rawReply(gzipped, run, whole(bytes), contentTypeOf(step.body_gzip), bytes.byteLength);
  }
  return replyOf(behaviourOf(step, asked.request.model, chance), asked, chance, step.headers, run);
}

/** A step that names no bytes bends the healthy answer, or the drawn one. */
function behaviourOf(step: Step, model: string, chance: Chance): Behaviour {
  const drawn = step.random === undefined ? {} : drawBehaviour(step.random, model, chance);
  return {
    ...drawn,
    ...(step.status === undefined ? {} : { status: step.status }),
    ...(step.delay_ms === undefined ? {} : { delayMs: step.delay_ms }),
    ...(step.end === undefined ? {} : { end: step.end }),
    ...(step.socket === undefined ? {} : { socket: step.socket }),
    ...(step.split === undefined ? {} : { split: step.split }),
  };
}

/** Draws a ready-made behaviour; the nth call of a model under a seed always draws the same. */
export function drawBehaviour(weights: Readonly<Record<string, number>>, model: string, chance: Chance): Behaviour {
  const random = seededRandom(hashText(`draw/${model}/${chance.call}`, chance.seed));
  const found = readReadyMade(pickWeighted(weights, random));
  if (found === null || typeof found === 'string') return {};
  return found.random === undefined ? found : drawBehaviour(found.random, `${model}'`, chance);
}

function rawReply(step: Step, run: number, pieces: Piece[], contentType: string, length: number | null): Reply {
  const end = step.end ?? 'clean';
  const headers = headerMap({ 'content-type': contentType }, step.headers);
  const split = step.split === undefined ? pieces : splitPieces(pieces, step.split, run);
  return {
    delayMs: step.delay_ms ?? 0,
    socket: step.socket ?? null,
    status: step.status ?? 200,
    headers,
    pieces: split,
    // An unfinished answer must be seen to be unfinished: chunked, unless the script announces a length itself.
    length: end === 'clean' && !headers.has('content-length') && !headers.has('transfer-encoding') ? length : null,
    end,
  };
}

function chunkPieces(chunks: readonly Chunk[]): Piece[] {
  return chunks.flatMap((chunk): Piece[] => {
    if (typeof chunk === 'string') return whole(Buffer.from(chunk));
    if (chunk instanceof Uint8Array) return whole(chunk);
    const wait: Piece[] = chunk.wait_ms === undefined ? [] : [{ waitMs: chunk.wait_ms }];
    const once = chunk.send === undefined ? wait : [...wait, ...whole(Buffer.from(chunk.send))];
    return Array.from({ length: chunk.repeat ?? 1 }, () => once).flat();
  });
}

function whole(bytes: Uint8Array): Piece[] {
  return bytes.byteLength === 0 ? [] : [bytes];
}

function bodyBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function contentTypeOf(body: unknown): string {
  return typeof body === 'string' || body instanceof Uint8Array ? 'text/plain; charset=utf-8' : 'application/json';
}
