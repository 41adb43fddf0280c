/** Addresses of what replicas share: they must be addresses, and a secret in one is never shown. */
import { type Review, report, textAt } from './loose.ts';

export function checkSharedPlaces(review: Review): void {
  check(review, 'store', /^postgres(?:ql)?:/, 'postgres://USER:PASSWORD@HOST:5432/DATABASE');
  check(review, 'shared', /^rediss?:/, 'redis://USER:PASSWORD@HOST:6379/0');
}

function check(review: Review, field: string, scheme: RegExp, form: string): void {
  const address = textAt(review, field);
  if (address === null || !scheme.test(address)) return;
  const parsed = URL.canParse(address) ? new URL(address) : null;
  if (parsed !== null && isDecodable(parsed.username) && isDecodable(parsed.password)) return;
  const message = `must be an address such as ${form}; write special characters of a password as %XX`;
  report(review, 'invalid_value', [field], message);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
