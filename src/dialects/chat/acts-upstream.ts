/** D-11: Chat calls that let the provider's own tools act. */
import { readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { objectsIn } from '../bytes/nested.ts';
import type { ClientRequest } from '../contract.ts';

/** Tools that the client runs itself: a repeated call only asks for them again. */
const CLIENT_TOOLS: ReadonlySet<string> = new Set(['function', 'custom']);

/** A search or a tool that runs on the provider's side: twice asked is twice done. Everything else only generates. */
export function actsUpstream({ view }: ClientRequest): boolean {
  if (valueByte(view, 'web_search_options') === OPEN_BRACE) return true;
  if (valueByte(view, 'tools') === 0) return false;
  for (const tool of objectsIn(view, 'tools')) {
    const type = readString(tool, 'type');
    if (typeof type === 'string' && !CLIENT_TOOLS.has(type)) return true;
  }
  return false;
}
