/** A head in JSON and bytes, sealed as one blob: length of the head (4 bytes), head, bytes. */
import { SealBroken, type Sealer } from '../../ports/sealer.ts';
import { keyIdOfBytes } from '../sealer/sealed-bytes.ts';

export type ParcelSealer = Pick<Sealer, 'sealBytes' | 'openBytes'>;

export interface Parcel {
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: Uint8Array;
}

const LENGTH_BYTES = 4;

/** `context` is bound in: it opens for nothing else. Throws `SealKeyError`. */
export function sealParcel(
  sealer: ParcelSealer,
  context: string,
  { head, body }: Parcel,
): { readonly sealKey: string; readonly sealed: Uint8Array } {
  const text = Buffer.from(JSON.stringify(head), 'utf8');
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  const sealed = sealer.sealBytes(Buffer.concat([length, text, body]), context);
  return { sealKey: keyIdOfBytes(sealed) ?? '', sealed };
}

/** Null = it can't be opened: another key, another context, or damaged. */
export function openParcel(sealer: ParcelSealer, context: string, sealed: unknown): Parcel | null {
  if (!(sealed instanceof Uint8Array)) return null;
  try {
    const plain = Buffer.from(sealer.openBytes(sealed, context));
    const bodyAt = LENGTH_BYTES + plain.readUInt32BE();
    const head = JSON.parse(plain.toString('utf8', LENGTH_BYTES, bodyAt)) as Parcel['head'];
    return { head, body: plain.subarray(bodyAt) };
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
}
