/** D-11: calls that make something at the provider, or let the provider's own tools act. */
import { readString, valueByte } from '../bytes/body-view.ts';
import { objectAt, objectsIn } from '../bytes/nested.ts';
import type { ClientRequest } from '../contract.ts';

/** Tools that the client runs itself: a repeated call only asks for them again. */
const CLIENT_TOOLS: ReadonlySet<string> = new Set([
  'function',
  'custom',
  'namespace',
  'local_shell',
  'apply_patch',
  'computer',
  'computer_use_preview',
]);

const TRUE = 0x74;
const NULL = 0x6e;

export function actsUpstream({ view }: ClientRequest): boolean {
  if (valueByte(view, 'background') === TRUE) return true;
  const conversation = valueByte(view, 'conversation');
  if (conversation !== 0 && conversation !== NULL) return true;
  if (valueByte(view, 'tools') === 0) return false;
  return objectsIn(view, 'tools').some((tool) => {
    const type = readString(tool, 'type');
    if (typeof type !== 'string' || CLIENT_TOOLS.has(type)) return false;
    // These two run where they are told to.
    if (type === 'shell') return readString(objectAt(tool, 'environment') ?? tool, 'type') !== 'local';
    return type !== 'tool_search' || readString(tool, 'execution') !== 'client';
  });
}
