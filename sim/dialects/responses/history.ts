/** How the items of `input` hang together, and with what the simulator made before: results need calls, ids need makers. */
import { type Fields, fieldsOf } from '../../answer/fields.ts';
import type { Memory } from '../../answer/memory.ts';
import type { Refusal } from '../../answer/request.ts';
import { unseal } from './sealed-thought.ts';
import { missing, refuse } from './shape.ts';
import { type History, recallItem, type SeenCall } from './stored.ts';

const CALLS: Readonly<Record<string, SeenCall['kind']>> = { function_call: 'function', custom_tool_call: 'custom' };
const RESULTS: Readonly<Record<string, SeenCall['kind']>> = {
  function_call_output: 'function',
  custom_tool_call_output: 'custom',
};
const SPOKEN: Readonly<Record<SeenCall['kind'], string>> = { function: 'function call', custom: 'custom tool call' };

/** Follows the items from where `before` ended. A Refusal when they don't hold together. */
export function followItems(items: readonly Fields[], before: History, memory: Memory): History | Refusal {
  const calls = new Map(before.calls);
  const ids = new Set(before.items);
  const given = new Set<string>();
  for (const [i, written] of items.entries()) {
    const id = typeof written['id'] === 'string' ? written['id'] : null;
    if (id !== null) {
      if (given.has(id)) return duplicate(id);
      given.add(id);
    }
    const item = referred(written, memory);
    if (item === null) return unknownItem(id ?? '');
    const refusal = faultOfThought(item, i, items, memory) ?? faultOfLack(item, ids, given, memory);
    if (refusal !== null) return refusal;
    if (id !== null) ids.add(id);
    const { type, call_id: callId } = item;
    if (typeof type !== 'string' || typeof callId !== 'string') continue;
    const called = CALLS[type];
    if (called !== undefined) calls.set(callId, { kind: called, answered: false });
    const answered = RESULTS[type];
    if (answered === undefined) continue;
    if (calls.get(callId)?.kind !== answered) {
      return refuse(`No tool call found for ${SPOKEN[answered]} output with call_id ${callId}.`, 'input');
    }
    calls.set(callId, { kind: answered, answered: true });
  }
  for (const [callId, { kind, answered }] of calls) {
    if (!answered) return refuse(`No tool output found for ${SPOKEN[kind]} ${callId}.`, 'input');
  }
  return { calls, items: ids, tokens: before.tokens };
}

/** What an item_reference stands for; null = nothing known. Other items stand for themselves. */
function referred(item: Fields, memory: Memory): Fields | null {
  const isReference = item['type'] === 'item_reference' || (item['type'] == null && item['role'] === undefined);
  return isReference ? (recallItem(memory, String(item['id']))?.item ?? null) : item;
}

/** A thought comes back sealed, or by the id of a stored one, and with what it led to. */
function faultOfThought(item: Fields, i: number, items: readonly Fields[], memory: Memory): Refusal | null {
  if (item['type'] !== 'reasoning') return null;
  const { id, encrypted_content: sealed } = item;
  if (typeof sealed === 'string') {
    const owner = unseal(sealed);
    const about = `The encrypted content ${sealed.slice(0, 12)}… could not be verified. Reason:`;
    if (owner === null) {
      const why = 'Encrypted content could not be decrypted or parsed.';
      return refuse(`${about} ${why}`, null, 'invalid_encrypted_content');
    }
    if (typeof id === 'string' && id !== owner) {
      const why = 'Encrypted content item_id did not match the target item id.';
      return refuse(`${about} ${why}`, null, 'invalid_encrypted_content');
    }
  } else if (typeof id !== 'string') {
    return missing(`input[${i}].id`);
  } else if (recallItem(memory, id) === null) {
    return unknownItem(id);
  }
  const next = items[i + 1];
  if (next !== undefined && follows(next)) return null;
  const named = typeof id === 'string' ? `'${id}' ` : '';
  return refuse(`Item ${named}of type 'reasoning' was provided without its required following item.`, 'input');
}

/** What a thought may lead to: another one, a message of the assistant, a call. A reference is taken for any of them. */
function follows(item: Fields): boolean {
  const { type, role } = item;
  if (role !== undefined) return role === 'assistant';
  return type == null || type === 'reasoning' || type === 'item_reference' || /_call$/.test(String(type));
}

/** A stored item comes with the thought that led to it. */
function faultOfLack(
  item: Fields,
  before: ReadonlySet<string>,
  given: ReadonlySet<string>,
  memory: Memory,
): Refusal | null {
  const { id, type } = item;
  const needs = typeof id === 'string' ? (recallItem(memory, id)?.needs ?? null) : null;
  if (needs === null || before.has(needs) || given.has(needs)) return null;
  const lack = `was provided without its required 'reasoning' item: '${needs}'.`;
  return refuse(`Item '${String(id)}' of type '${String(type ?? 'message')}' ${lack}`, 'input');
}

function duplicate(id: string): Refusal {
  const message = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
  return refuse(message, 'input');
}

function unknownItem(id: string): Refusal {
  const hint = 'Items are not persisted when `store` is set to false. Try again with `store` set to true,';
  const message = `Item with id '${id}' not found. ${hint} or remove this item from your input.`;
  return refuse(message, 'input', undefined, 404);
}

/** The items of `input`, whichever way it is written. */
export function itemsOf(input: unknown): readonly Fields[] {
  if (typeof input === 'string') return input === '' ? [] : [{ type: 'message', role: 'user', content: input }];
  return Array.isArray(input) ? input.map(fieldsOf) : [];
}
