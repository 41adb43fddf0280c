/** All of them. */
import { CHAT } from './chat.ts';
import { CONVERSE } from './converse.ts';
import { GENERATE } from './generate.ts';
import { MESSAGES } from './messages.ts';
import { RESPONSES } from './responses.ts';
import type { Sample } from './sample.ts';

export const SAMPLES: readonly Sample[] = [...CHAT, ...MESSAGES, ...RESPONSES, ...GENERATE, ...CONVERSE];

export function bytesOf(sample: Sample): Buffer {
  return Buffer.concat(sample.blocks.map((block) => Buffer.from(block as string)));
}

/** Where the block that commits ends; null = none does. */
export function commitOf({ blocks, commit }: Sample): number | null {
  if (commit === undefined || commit === null) return null;
  return Buffer.concat(blocks.slice(0, commit + 1).map((block) => Buffer.from(block as string))).length;
}
