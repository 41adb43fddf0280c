/** D-11: calls that let the provider's own tools act, or make pictures and sound. */
import { objectsIn } from '../bytes/nested.ts';
import type { ClientRequest } from '../contract.ts';
import { modalities } from './asks.ts';
import { camelCase, objectGiven, valueGiven } from './fields.ts';
import { CONFIG } from './request-edits.ts';

/** Tools that the client runs itself: a repeated call only asks for them again. */
const CLIENT_TOOLS = 'functionDeclarations';

/** Twice asked is twice done. Everything else only generates text. */
export function actsUpstream({ view }: ClientRequest): boolean {
  for (const tool of objectsIn(view, 'tools')) {
    if (tool.members.some(({ key }) => camelCase(key) !== CLIENT_TOOLS)) return true;
  }
  const config = objectGiven(view, CONFIG);
  return config !== null && modalities(valueGiven(config, 'responseModalities')).some((kind) => kind !== 'TEXT');
}
