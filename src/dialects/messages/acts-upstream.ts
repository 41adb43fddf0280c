/** D-11: Messages calls that let the provider's own tools act. */
import { type BodyView, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACKET } from '../bytes/json-grammar.ts';
import { objectsIn } from '../bytes/nested.ts';

/**
 * Tools by dated type that the client runs itself, and the search among the request's own tools: a repeated call only
 * asks for them again. All other types run on the provider's side.
 */
const HARMLESS = /^(?:custom$|bash_|text_editor_|memory_|computer_|tool_search_tool)/;

export function actsUpstream(view: BodyView): boolean {
  if (valueByte(view, 'mcp_servers') === OPEN_BRACKET && objectsIn(view, 'mcp_servers').length > 0) return true;
  return serverTools(view).length > 0;
}

/** Types of the tools that run on the provider's side. */
export function serverTools(view: BodyView): string[] {
  if (valueByte(view, 'tools') !== OPEN_BRACKET) return [];
  return objectsIn(view, 'tools').flatMap((tool) => {
    const type = readString(tool, 'type');
    return typeof type === 'string' && !HARMLESS.test(type) ? [type] : [];
  });
}
