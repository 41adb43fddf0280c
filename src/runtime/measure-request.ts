/** How large a request is to an upstream, for estimates (G-4). */
import { type Measure, measureBody } from '../core/money/estimate.ts';
import { ownFieldBytes } from '../dialects/bytes/own-fields.ts';
import type { ClientRequest } from '../dialects/contract.ts';

/** Without the gateway's own fields, however long a chain they spell out. */
export function measureRequest({ view }: ClientRequest, mediaParts: number): Measure {
  const measure = measureBody(view.bytes, mediaParts);
  return { ...measure, textBytes: Math.max(0, measure.textBytes - ownFieldBytes(view)) };
}
