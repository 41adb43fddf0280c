/** An answer that is sent piece by piece: as fast as its reader takes it, and no further than its reader stays. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export class StreamedAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: AsyncIterable<string>;

  constructor(headers: Readonly<Record<string, string>>, parts: AsyncIterable<string>) {
    this.headers = headers;
    this.parts = parts;
  }
}

/**
 * Sends it. A part is asked for when the one before has gone into the socket; when the reader leaves, the parts' own `finally`
 * runs. What fails on the way breaks the connection off: an answer that is not whole must not look as if it were.
 */
export function sendStreamed(reply: FastifyReply, { headers, parts }: StreamedAnswer): FastifyReply {
  // Else the router would read all of it for nobody.
  if (reply.request.method === 'HEAD') return reply.headers(headers).send('');
  return reply.headers(headers).send(Readable.from(parts, { objectMode: true, highWaterMark: 1 }));
}
