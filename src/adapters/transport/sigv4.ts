/** AWS Signature Version 4 over one request: host, time, token and body are signed, other headers are not. */
import { AwsV4Signer } from 'aws4fetch';
import type { SigningOrder } from '../../providers/auth.ts';

type AwsOrder = Extract<SigningOrder, { kind: 'aws' }>;

/** Keys derived for one day, by secret, day and place. Old days are let go with the rest. */
const MAX_DERIVED = 256;

export class Sigv4 {
  readonly #derived = new Map<string, ArrayBuffer>();

  /** Headers to add: name, value, name, value. @param wall wall ms of the signature */
  async headers(url: string, body: Uint8Array, order: AwsOrder, wall: number): Promise<string[]> {
    if (this.#derived.size > MAX_DERIVED) this.#derived.clear();
    const signer = new AwsV4Signer({
      method: 'POST',
      url,
      body: body as Uint8Array<ArrayBuffer>,
      accessKeyId: order.keyId,
      secretAccessKey: order.secretKey,
      ...(order.sessionToken === null ? {} : { sessionToken: order.sessionToken }),
      service: order.service,
      region: order.region,
      cache: this.#derived,
      datetime: dateTime(wall),
    });
    const { headers } = await signer.sign();
    return [...headers].flat();
  }
}

/** `20261130T090000Z`. */
function dateTime(wall: number): string {
  return new Date(wall).toISOString().replace(/[:-]|\.\d{3}/g, '');
}
