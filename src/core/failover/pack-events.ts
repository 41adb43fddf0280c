/**
 * A run's events in few bytes: those of everyday requests as lists of numbers, `[kind, now, wall, random, …]`, the others
 * as they stand. The first event's `wall` is an instant, that of later lists the ms since then.
 */
import { type Json, type JsonObject, toJson } from './json-form.ts';
import type { EngineEvent } from './machine.ts';

/** By position; only ever added to at the end. */
const KINDS = ['begin', 'admitted', 'attempt-ready', 'attempt-completed', 'wait-elapsed', 'hedge-due'] as const;
const CONTENTS = ['content', 'refusal', 'filtered', 'empty'] as const;

/** Plain JSON. */
export function packEvents(events: readonly EngineEvent[]): readonly Json[] {
  const packed: Json[] = [];
  const start = events[0]?.wall ?? 0;
  for (const event of events) packed.push(packEvent(event, packed.length === 0 ? 0 : start) ?? toJson(event));
  return packed;
}

/** Null = it says more than its kind's list has places for. */
function packEvent(event: EngineEvent, start: number): Json | null {
  const wall = event.wall - start;
  switch (event.type) {
    case 'begin':
      return [0, event.now, wall, event.random];
    case 'admitted':
      return [1, event.now, wall, event.random, event.attempt, event.permits];
    case 'attempt-ready':
      if (event.failure !== null || event.cut !== undefined) return null;
      return [2, event.now, wall, event.random, event.attempt, CONTENTS.indexOf(event.content)];
    case 'attempt-completed':
      return event.cost === undefined ? [3, event.now, wall, event.random, event.attempt] : null;
    case 'wait-elapsed':
      return [4, event.now, wall, event.random];
    case 'hedge-due':
      return [5, event.now, wall, event.random];
    default:
      return null;
  }
}

/** The events as JSON objects again; what is no list, as in records of older versions, stays as it is. */
export function unpackEvents(packed: readonly Json[]): readonly Json[] {
  const events: Json[] = [];
  let start = 0;
  for (const one of packed) {
    const event = isList(one) ? unpackEvent(one, start) : one;
    if (events.length === 0) start = Number((event as Partial<EngineEvent> | null)?.wall ?? 0);
    events.push(event);
  }
  return events;
}

function isList(json: Json): json is readonly Json[] {
  return Array.isArray(json);
}

/** Null = a list of no kind that is known. */
function unpackEvent([kind, now, wall, random, attempt, more]: readonly Json[], start: number): JsonObject | null {
  const type = KINDS[Number(kind)];
  if (type === undefined || now === undefined || random === undefined) return null;
  const at = { now, wall: Number(wall) + start, random };
  if (attempt === undefined) return { type, ...at };
  if (type === 'admitted') return { type, attempt, permits: more ?? null, ...at };
  if (type !== 'attempt-ready') return { type, attempt, ...at };
  return { type, attempt, content: CONTENTS[Number(more)] ?? null, failure: null, ...at };
}
