import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { gatewayError } from '../core/errors/catalogue.ts';
import { chatCodec } from '../dialects/chat/codec.ts';
import type { Clock } from '../ports/clock.ts';
import { deliverError } from './deliver-error.ts';
import { HttpDelivery } from './delivery.ts';
import { JobDelivery } from './ladder/job-delivery.ts';

const CLOCK: Clock = { wall: () => 0, now: () => 0, after: () => () => undefined };
const SPEECHLESS = { ...chatCodec, streamError: () => 'destroy' as const };
const where = { codec: SPEECHLESS, identity: { requestId: 'req_1', clientRequestId: null }, classic: false };
const BROKEN = gatewayError('stream_interrupted', 'broke off');
const FACTS = { attempts: 1, wall: 0 };

/** What a client sees of a stream that began with `begun` and ended without words. */
async function seenByClient(begun: string): Promise<{ text: string; whole: boolean; gone: boolean; waits: boolean }> {
  let delivery: HttpDelivery | null = null;
  let waits = true;
  const server = createServer((_, response) => {
    delivery = new HttpDelivery(response, CLOCK);
    delivery.onGone(() => undefined);
    delivery.open(200, ['content-type', 'application/json']);
    response.write(begun, () => {
      setImmediate(() => {
        deliverError(delivery!, where, BROKEN, FACTS);
        waits = delivery!.leaving() !== null;
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const call = request({ port, host: '127.0.0.1', agent: false }).end();
  const [response] = await once(call, 'response');
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  response.on('error', () => undefined);
  await new Promise((resolve) => response.on('close', resolve));
  server.close();
  await once(server, 'close');
  return { text, whole: response.complete, gone: delivery!.gone, waits };
}

describe('an error that a begun answer has no words for', () => {
  it('T-4: resets the connection, so that no client takes what it got for whole', async () => {
    expect(await seenByClient('[{"part":1}')).toEqual({ text: '[{"part":1}', whole: false, gone: false, waits: false });
  });

  it('T-4: ends where there is no connection, without a word', () => {
    const delivery = new JobDelivery();
    delivery.open(200, []);
    delivery.write(Buffer.from('part'));
    deliverError(delivery, where, BROKEN, FACTS);
    expect(delivery.body.toString()).toBe('part');
  });
});
