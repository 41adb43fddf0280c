/** Rows of events and deliveries, and what they say. */
import type { JsonObject } from '../../core/failover/json-form.ts';
import type { DeliveryRecord, DeliveryState, DueDelivery, GatewayEvent } from '../../ports/events.ts';
import type { SqlRow, SqlScalar } from './sql-step.ts';

/** Their order in what `delivery` and `list` give. */
export const DELIVERY_COLUMNS = [
  'ix',
  'id',
  'hook',
  'workspace',
  'event_ids',
  'types',
  'state',
  'tries',
  'next_at',
  'status',
  'answer',
  'took_ms',
  'at',
  'done_at',
] as const;

/** What `take` makes of `fresh`: whatever is taken again may have been sent, and stays as it is. */
const FIRST_TAKING = 2;

/** A delivery just taken, with the ids of its events. */
export interface Taken extends Omit<DueDelivery, 'events'> {
  readonly ids: readonly string[];
  readonly types: readonly string[];
  readonly fresh: boolean;
}

export function eventRow({ id, at, type, workspace, requestId, data }: GatewayEvent): SqlRow {
  return [id, at, type, workspace, requestId, JSON.stringify(data)];
}

export function toEvent([id, at, type, workspace, requestId, data]: SqlRow): GatewayEvent {
  return {
    id: String(id),
    at: Number(at),
    type: String(type),
    workspace: textOrNull(workspace),
    requestId: textOrNull(requestId),
    data: JSON.parse(String(data)) as JsonObject,
  };
}

export function toTaken([id, hook, workspace, tries, at, ids, types, fresh]: SqlRow): Taken {
  return {
    id: String(id),
    hook: String(hook),
    workspace: textOrNull(workspace),
    tries: Number(tries),
    at: Number(at),
    ids: textsOf(ids),
    types: textsOf(types),
    fresh: Number(fresh) === FIRST_TAKING,
  };
}

export function toRecord(row: SqlRow): DeliveryRecord {
  const [, id, hook, workspace, ids, types, state, tries, nextAt, status, answer, tookMs, at, doneAt] = row;
  return {
    id: String(id),
    hook: String(hook),
    workspace: textOrNull(workspace),
    eventIds: textsOf(ids),
    types: textsOf(types),
    state: String(state) as DeliveryState,
    tries: Number(tries),
    nextAt: numberOrNull(nextAt),
    status: numberOrNull(status),
    answer: textOrNull(answer),
    tookMs: numberOrNull(tookMs),
    at: Number(at),
    doneAt: numberOrNull(doneAt),
  };
}

export function textsOf(value: SqlScalar | undefined): readonly string[] {
  return JSON.parse(String(value)) as string[];
}

function textOrNull(value: SqlScalar | undefined): string | null {
  return value == null ? null : String(value);
}

function numberOrNull(value: SqlScalar | undefined): number | null {
  return value == null ? null : Number(value);
}
