/** Tools that a conversation offers and withdraws on its way: elsewhere they are offered from the start, or not at all. */
import { type BodyView, readString } from '../bytes/body-view.ts';
import { objectAt } from '../bytes/nested.ts';

export class ToolChanges {
  /** Definitions that stand in the conversation, by name. */
  readonly added = new Map<string, BodyView>();
  /** Names that are withdrawn at its end. */
  readonly removed = new Set<string>();

  /** A `tool_addition` or `tool_removal`. False = it cannot be read. */
  note(block: BodyView, isAddition: boolean): boolean {
    const tool = objectAt(block, 'tool');
    if (tool === null) return false;
    const definition = objectAt(tool, 'definition');
    const name = readString(definition ?? tool, 'name');
    // Others are of tool servers, which are bound to the dialect by themselves.
    if (typeof name !== 'string') return true;
    if (!isAddition) {
      this.removed.add(name);
      return true;
    }
    this.removed.delete(name);
    if (definition !== null) this.added.set(name, definition);
    return true;
  }
}
