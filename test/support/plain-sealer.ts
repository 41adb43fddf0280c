/** A sealer that hides nothing and still opens only for its context: for tests of what is bound to what. */
import { SealBroken, type Sealer } from '../../src/ports/sealer.ts';

export const plainSealer: Pick<Sealer, 'sealBytes' | 'openBytes'> = {
  sealBytes: (plain, context) => Buffer.concat([Buffer.from(`${context}\n`), plain]),
  openBytes(sealed, context) {
    const bytes = Buffer.from(sealed);
    const end = bytes.indexOf('\n');
    if (bytes.toString('utf8', 0, end) !== context) throw new SealBroken('another context');
    return bytes.subarray(end + 1);
  },
};
