/**
 * Running a recorded request again: the same setup and events give the same actions. Events and setups survive JSON,
 * so the record can keep them.
 */
import { initialState, type RunSetup } from './begin.ts';
import { decide } from './decide.ts';
import { fromJson, type Json, toJson } from './json-form.ts';
import type { EngineAction, EngineEvent, FailoverState } from './machine.ts';

export type { Json };

export interface Replayed {
  readonly state: FailoverState;
  readonly actions: readonly EngineAction[];
}

/** All actions of all events, in order, with the state they lead to. */
export function replayRun(initial: FailoverState, events: Iterable<EngineEvent>): Replayed {
  let state = initial;
  const actions: EngineAction[] = [];
  for (const event of events) {
    const step = decide(state, event);
    state = step.state;
    actions.push(...step.actions);
  }
  return { state, actions };
}

/** Only the actions. */
export function replay(initial: FailoverState, events: Iterable<EngineEvent>): readonly EngineAction[] {
  return replayRun(initial, events).actions;
}

/** One event as plain JSON. */
export function eventToJson(event: EngineEvent): Json {
  return toJson(event);
}

/** What each event must have beside its time, to be run again. */
const FIELDS: Readonly<Record<EngineEvent['type'], Readonly<Record<string, string>>>> = {
  begin: {},
  admitted: { attempt: 'number' },
  refused: { attempt: 'number', reason: 'string' },
  'attempt-ready': { attempt: 'number', content: 'string' },
  'attempt-failed': { attempt: 'number', failure: 'object' },
  'attempt-completed': { attempt: 'number' },
  'attempt-interrupted': { attempt: 'number', failure: 'object' },
  'wait-elapsed': {},
  'hedge-due': {},
  'client-gone': { detach: 'boolean' },
};

const TIMES = { now: 'number', wall: 'number', random: 'number' };

function has(value: Readonly<Record<string, unknown>>, fields: Readonly<Record<string, string>>): boolean {
  return Object.entries(fields).every(([name, type]) => value[name] !== null && typeof value[name] === type);
}

/** The event again; null when the JSON is none, as after a change of version. */
export function eventFromJson(json: Json): EngineEvent | null {
  const value = fromJson(json);
  if (typeof value !== 'object' || value === null) return null;
  const event = value as Readonly<Record<string, unknown>>;
  const type = event['type'];
  if (typeof type !== 'string' || !Object.hasOwn(FIELDS, type) || !has(event, TIMES)) return null;
  return has(event, FIELDS[type as EngineEvent['type']]) ? (event as unknown as EngineEvent) : null;
}

/** Plan, options and what else a run starts from, as plain JSON. */
export function setupToJson(setup: RunSetup): Json {
  return toJson(setup);
}

/** The setup again; null when the JSON is none. */
export function setupFromJson(json: Json): RunSetup | null {
  const setup = fromJson(json);
  if (typeof setup !== 'object' || setup === null) return null;
  const fields = { plan: 'object', options: 'object', keyed: 'boolean', actsUpstream: 'boolean', now: 'number' };
  return has(setup as Readonly<Record<string, unknown>>, fields) ? (setup as RunSetup) : null;
}

/** A stored run, from JSON to its actions; null when it can not be read. */
export function replayStored(setup: Json, events: readonly Json[]): Replayed | null {
  const start = setupFromJson(setup);
  const read = events.map(eventFromJson);
  if (start === null || !read.every((event) => event !== null)) return null;
  return replayRun(initialState(start), read);
}
