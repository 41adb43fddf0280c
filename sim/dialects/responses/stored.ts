/** What the simulator remembers of the answers it made: enough to go on from one, or to refer to its items. */
import { fieldsOf } from '../../answer/fields.ts';
import type { Memory } from '../../answer/memory.ts';

/** A call seen in a conversation. */
export interface SeenCall {
  readonly kind: 'function' | 'custom';
  readonly answered: boolean;
}

/** A conversation up to some point. */
export interface History {
  /** By call_id. */
  readonly calls: ReadonlyMap<string, SeenCall>;
  /** Ids of its items. */
  readonly items: ReadonlySet<string>;
  readonly tokens: number;
}

export const NO_HISTORY: History = { calls: new Map(), items: new Set(), tokens: 0 };

/** An answer that was made with `store`. */
export interface StoredResponse {
  readonly history: History;
  readonly background: boolean;
  /** The response as JSON text; null = too large to be kept. */
  readonly body: string | null;
}

/** An item of such an answer. */
export interface StoredItem {
  readonly item: Readonly<Record<string, unknown>>;
  /** Id of the reasoning that led to it and has to come with it. */
  readonly needs: string | null;
}

/** Longest body kept. */
const MOST_BODY_CHARS = 65_536;

export function keepResponse(memory: Memory, id: string, stored: StoredResponse): void {
  const body = stored.body !== null && stored.body.length <= MOST_BODY_CHARS ? stored.body : null;
  memory.keep(`responses/${id}`, { ...stored, body });
}

export function keepItem(memory: Memory, id: string, stored: StoredItem): void {
  memory.keep(`responses/item/${id}`, stored);
}

/** Null = never made here, not stored, deleted or forgotten. */
export function recallResponse(memory: Memory, id: string): StoredResponse | null {
  const found = memory.recall(`responses/${id}`);
  return 'history' in fieldsOf(found) ? (found as StoredResponse) : null;
}

/** Null as in recallResponse. */
export function recallItem(memory: Memory, id: string): StoredItem | null {
  const found = memory.recall(`responses/item/${id}`);
  return found === undefined ? null : (found as StoredItem);
}

/** Whether there was one. */
export function forgetResponse(memory: Memory, id: string): boolean {
  return memory.forget(`responses/${id}`);
}
