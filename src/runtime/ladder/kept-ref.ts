/** Which kept answers a request may get: those of its scope, to the same request (E-4, I-1, I-5). */
import { scopeOf } from '../../core/idempotency/derive.ts';
import { fingerprintOf } from '../../core/idempotency/fingerprint.ts';
import type { KeptRef } from '../../ports/kept-answers.ts';
import type { Job } from '../job.ts';

/** Reading a larger request once more would hold up others. */
const LARGEST_REQUEST = 4 * 1024 * 1024;

/** Costs a pass over the body: asked only where answers are kept. Null = too large a request. */
export function keptRef({ key, workspace, route, request }: Job): KeptRef | null {
  if (request.view.bytes.length > LARGEST_REQUEST) return null;
  const { endpoint, classic } = route;
  const by = key.idempotency.scope;
  const scope = scopeOf({ by, key, workspace, endpoint: classic ? `${endpoint} classic` : endpoint });
  return { scope, fingerprint: fingerprintOf({ endpoint, place: request.place, body: request.view.bytes }) };
}
