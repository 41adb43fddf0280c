/** Plays a reply onto a connection: pauses, single flushed writes, and every way of not ending properly. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Piece, Reply } from './reply.ts';

/** Between the last bytes and a reset: a peer that has not read yet would lose them with the connection. */
const SETTLE_MS = 15;

/** How a play ended: answered whole; broken off by us; left open by us; or the peer went first. */
export type Played = 'answered' | 'broken' | 'open' | 'gone';

/** Plays it to the end, or until the peer has gone. Never rejects. */
export async function playReply(reply: Reply, request: IncomingMessage, response: ServerResponse): Promise<Played> {
  if (reply.delayMs > 0) await pause(reply.delayMs, response);
  if (response.destroyed) return 'gone';
  if (reply.socket !== null && reply.socket !== undefined) return playSocketFault(reply, request);
  const headers: string[] = [];
  for (const [name, value] of reply.headers) headers.push(name, value);
  if (reply.length !== null) headers.push('content-length', String(reply.length));
  response.writeHead(reply.status, headers);
  const only = reply.end === 'clean' ? singlePiece(reply.pieces) : null;
  if (only !== null) {
    response.end(only);
    return 'answered';
  }
  let wrote = false;
  for (const piece of reply.pieces) {
    if (response.destroyed) return 'gone';
    if ('waitMs' in piece) {
      // What was said so far must be out before the silence.
      if (!wrote) response.flushHeaders();
      await pause(piece.waitMs, response);
    } else {
      wrote = true;
      await flushed(piece, response);
    }
  }
  return response.destroyed ? 'gone' : playEnd(reply, wrote, request, response);
}

async function playEnd(
  reply: Reply,
  wrote: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Played> {
  if (reply.end === 'clean') {
    response.end();
    return 'answered';
  }
  if (!wrote) response.flushHeaders();
  if (reply.end === 'hang') return 'open';
  if (reply.end === 'fin') {
    request.socket.end();
    return 'broken';
  }
  await pause(SETTLE_MS, response);
  if (response.destroyed) return 'gone';
  request.socket.resetAndDestroy();
  return 'broken';
}

function playSocketFault(reply: Reply, request: IncomingMessage): Played {
  switch (reply.socket) {
    case 'accept_then_silence':
      return 'open';
    case 'not_http':
      request.socket.end('SSH-2.0-simulator\r\n');
      return 'broken';
    default:
      request.socket.resetAndDestroy();
      return 'broken';
  }
}

function singlePiece(pieces: Iterable<Piece>): Uint8Array | null {
  if (!Array.isArray(pieces) || pieces.length !== 1) return null;
  const piece: Piece | undefined = pieces[0];
  return piece === undefined || 'waitMs' in piece ? null : piece;
}

/** One write of its own: the next one waits until the kernel has this one, then for a turn of the event loop. */
function flushed(bytes: Uint8Array, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done);
      setImmediate(resolve);
    };
    response.on('close', done);
    response.write(bytes, done);
  });
}

/** Waits, at most until the connection closes. */
function pause(ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      response.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    response.on('close', done);
  });
}
