/** `encrypted_content`: a thought that only its maker can read, and whose every changed letter is noticed. */
import { hashText } from '../../random.ts';

const MARK = 'gAAAAAsim';
/** Part of the seal, so that nobody makes one by chance. */
const SALT = 0x5ea1;

/** Seals the thought of a reasoning item. The same item gives the same text. */
export function seal(itemId: string): string {
  const checks = [0, 1, 2, 3].map((i) =>
    hashText(`${itemId}/${i}`, SALT + i)
      .toString(16)
      .padStart(8, '0'),
  );
  return `${MARK}${Buffer.from(`${checks.join('')}:${itemId}`).toString('base64url')}`;
}

/** The item a seal belongs to; null = made by somebody else, or changed. */
export function unseal(text: string): string | null {
  if (!text.startsWith(MARK)) return null;
  const held = Buffer.from(text.slice(MARK.length), 'base64url').toString('utf8');
  const itemId = held.slice(held.indexOf(':') + 1);
  return seal(itemId) === text ? itemId : null;
}
