/** Answers made with `store`: kept, read again, deleted. */
import type { Completion } from '../../answer/completion.ts';
import type { Memory } from '../../answer/memory.ts';
import type { SimRequest } from '../../answer/request.ts';
import type { Ask, PlainAnswer } from '../dialect.ts';
import { errorBody } from './errors.ts';
import { ownOf } from './own-request.ts';
import { finishedResponse } from './response.ts';
import { forgetResponse, keepItem, keepResponse, recallResponse, type SeenCall } from './stored.ts';

/** Keeps an answer, unless it was asked not to be. */
export function remember(completion: Completion, request: SimRequest, memory: Memory): void {
  const { store, history, background } = ownOf(request);
  if (!store || request.operation !== 'generate') return;
  const response = finishedResponse(completion, request);
  const thought = response.output.find(({ type }) => type === 'reasoning')?.id ?? null;
  const calls = new Map<string, SeenCall>(history.calls);
  for (const item of response.output) {
    keepItem(memory, item.id, { item: { ...item }, needs: item.id === thought ? null : thought });
    if (!('call_id' in item)) continue;
    calls.set(item.call_id, { kind: item.type === 'function_call' ? 'function' : 'custom', answered: false });
  }
  const items = new Set([...history.items, ...response.output.map(({ id }) => id)]);
  const tokens = completion.usage.input + completion.usage.output;
  const body = JSON.stringify(response);
  keepResponse(memory, response.id, { history: { calls, items, tokens }, background, body });
}

const ONE = /\/responses\/([^/]+)(\/cancel)?$/;

/** `GET` and `DELETE …/responses/{id}`, `POST …/responses/{id}/cancel`. */
export function serve(ask: Ask, _body: Buffer, memory: Memory): PlainAnswer | null {
  const match = ONE.exec(ask.path);
  const id = match?.[1];
  if (id === undefined) return null;
  const cancels = match?.[2] !== undefined;
  if (cancels ? ask.method !== 'POST' : ask.method !== 'GET' && ask.method !== 'DELETE') return null;
  const stored = recallResponse(memory, id);
  if (stored?.body == null) return refused(404, `Response with id '${id}' not found.`);
  if (cancels) {
    // One in the background is finished by now: it stays as it is.
    return stored.background
      ? { status: 200, body: stored.body }
      : refused(400, 'Cannot cancel a synchronous response.');
  }
  if (ask.method === 'DELETE') {
    forgetResponse(memory, id);
    return { status: 200, body: JSON.stringify({ id, object: 'response', deleted: true }) };
  }
  if (ask.query.get('stream') === 'true') return refused(400, 'The simulator reads answers again only whole.');
  return { status: 200, body: stored.body };
}

function refused(status: number, message: string): PlainAnswer {
  return { status, body: errorBody({ status, message, code: '' }) };
}
