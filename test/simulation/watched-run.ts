import { Invariants } from '../../sim/virtual/invariants.ts';
import { type RunInput, type RunResult, runVirtually } from '../../sim/virtual/virtual-run.ts';
import { finalError } from '../../src/core/errors/final-error.ts';
import { packEvents, unpackEvents } from '../../src/core/failover/pack-events.ts';
import { eventFromJson, replay } from '../../src/core/failover/replay.ts';

/** Runs one request with every invariant watched; any breach throws. */
export function watchedRun(input: RunInput): RunResult {
  const invariants = new Invariants();
  const result = runVirtually({ ...input, watch: (step) => invariants.step(step) });
  invariants.end(result);
  checkError(result);
  return result;
}

/** Every failed verdict has an error a client can read. */
function checkError({ state }: RunResult): void {
  const kind = state.verdict?.kind;
  if (kind === 'served' || kind === 'client_closed') return;
  const error = finalError(state, { wallNow: state.at.wall });
  if (error.status < 400 || error.status > 599) throw new Error(`status ${error.status}`);
  if (error.code === null || error.code === '' || error.message === '') throw new Error('an error without words');
  if (error.shouldRetry && error.retryAt === null) throw new Error('a repeat is invited without an instant');
  if (error.status === 401 || error.status === 403) throw new Error("the upstream's refusal became the client's");
}

/** Same events, same actions; also after the events went through JSON. */
export function checkReplay({ initial, events, actions }: RunResult): void {
  const stored = JSON.parse(JSON.stringify(packEvents(events)));
  const read = unpackEvents(stored)
    .map(eventFromJson)
    .filter((event) => event !== null);
  const again = JSON.stringify([replay(initial, events), replay(initial, read)]);
  if (again !== JSON.stringify([actions, actions])) throw new Error('a replay took another way');
}
