/** How client keys and operators' tokens are kept: never themselves, only their hash (G-9). */
import { hash } from 'node:crypto';

/** SHA-256, hex. Such secrets are long and random, so nothing slower is needed. */
export function secretHash(secret: string): string {
  return hash('sha256', secret, 'hex');
}
