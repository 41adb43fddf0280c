import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FailureClass, makeFailure } from '../failure.ts';
import { HealthBoard, type Permit } from './board.ts';
import { type HealthKeys, healthKeys } from './keys.ts';
import type { CallOutcome } from './outcome.ts';
import { DEFAULT_HEALTH, type HealthSettings } from './settings.ts';

const SETTINGS: HealthSettings = {
  ...DEFAULT_HEALTH,
  circuit: { ...DEFAULT_HEALTH.circuit, consecutive: 2, minCalls: 4, openMs: 100, openCapMs: 800 },
};

const TARGETS: readonly HealthKeys[] = ['k1', 'k2', null].map((credential) =>
  healthKeys({ model: 'm', channelId: 'a', channel: 'm#a', credential, upstreamModel: 'up' }),
);

const CLASSES: readonly FailureClass[] = [
  'server_error',
  'timeout',
  'rate_limit',
  'auth',
  'invalid_request',
  'client_closed',
];

const outcome: fc.Arbitrary<CallOutcome> = fc.oneof(
  fc.constant<CallOutcome>({ kind: 'success' }),
  fc.constant<CallOutcome>({ kind: 'neutral' }),
  fc.constantFrom(...CLASSES).map<CallOutcome>((failureClass) => ({
    kind: 'failure',
    failure: makeFailure({ class: failureClass, message: '' }),
  })),
);

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('admit' as const),
      target: fc.nat({ max: TARGETS.length - 1 }),
      throughOpen: fc.boolean(),
      throughBackoff: fc.boolean(),
      repeat: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('settle' as const), which: fc.nat(), outcome, twice: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 300 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reset' as const), target: fc.nat({ max: 2 }) }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Plays steps and looks after each one; `look` gets the permits that are out. */
function play(
  steps: readonly Step[],
  look: (board: HealthBoard, out: readonly Permit[], now: number) => void,
): { board: HealthBoard; out: Permit[]; now: number } {
  const board = new HealthBoard(SETTINGS);
  const out: Permit[] = [];
  let now = 0;
  for (const action of steps) {
    if (action.do === 'wait') now += action.ms;
    else if (action.do === 'reset') board.reset(TARGETS[action.target]!.id);
    else if (action.do === 'admit') {
      const admission = board.admit(TARGETS[action.target]!, now, action);
      if (admission.ok) out.push(admission.permit);
    } else if (out.length > 0) {
      const [permit] = out.splice(action.which % out.length, 1);
      board.settle(permit!, action.outcome, now);
      if (action.twice) board.settle(permit!, { kind: 'success' }, now);
    }
    look(board, out, now);
  }
  return { board, out, now };
}

describe('H-1 under random interleavings', () => {
  it('H-1: at most one probe is out, and standing tells of it; the same holds for the backoff call', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        play(steps, (board, out, now) => {
          const standing = board.standing(TARGETS[0]!, now);
          if (standing.state === 'half_open') {
            const probes = out.filter(({ holdsProbe, epoch, target }) => {
              return holdsProbe && epoch === target.channel.breaker.epoch;
            });
            expect(probes.length).toBe(standing.probeInFlight ? 1 : 0);
          }
          const backoffCalls = out.filter(({ holdsBackoffCall }) => holdsBackoffCall);
          const reset = steps.some((action) => action.do === 'reset');
          if (!reset) expect(backoffCalls.length).toBeLessThanOrEqual(1);
        });
      }),
      { numRuns: 1000 },
    );
  });

  it('H-1: once every call has ended the next one is the probe, or the circuit is closed: nothing gets stuck', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), fc.boolean(), (steps, abandoned) => {
        const { board, out, now } = play(steps, () => {});
        for (const permit of out) {
          board.settle(permit, abandoned ? { kind: 'neutral' } : { kind: 'failure', failure: oops() }, now);
        }
        // Long after every rest and every opening.
        const later = now + 3_600_000;
        const admission = board.admit(TARGETS[0]!, later, { throughOpen: false });
        expect(admission.ok).toBe(true);
        if (!admission.ok) return;
        const closed = board.circuits(later)[0]!.state === 'closed';
        expect(admission.permit.holdsProbe).toBe(!closed);
        board.settle(admission.permit, { kind: 'success' }, later);
        expect(board.standing(TARGETS[0]!, later).state).toBe('ok');
      }),
      { numRuns: 1000 },
    );
  });

  it('H-1: an open circuit is passed only by who may pass, and never by a probe', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const board = new HealthBoard(SETTINGS);
        const out: Permit[] = [];
        let now = 0;
        for (const action of steps) {
          if (action.do === 'wait') now += action.ms;
          else if (action.do === 'settle' && out.length > 0) board.settle(out.shift()!, action.outcome, now);
          else if (action.do === 'admit') {
            const keys = TARGETS[action.target]!;
            const before = board.standing(keys, now);
            const circuit = board.circuits(now)[0]!.state;
            const admission = board.admit(keys, now, action);
            if (admission.ok) {
              out.push(admission.permit);
              if (circuit === 'open') expect(action.throughOpen || action.repeat).toBe(true);
              expect(admission.permit.holdsProbe).toBe(circuit === 'half_open' && !probeOut(keys, out));
            }
            if (before.state === 'ok') expect(admission.ok).toBe(true);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('H-1: the n-th unstated rate limit in a row rests base · 2ⁿ, whatever lies between but a success', () => {
    const event = fc.constantFrom<FailureClass | 'success' | 'neutral'>(
      'rate_limit',
      'rate_limit',
      'invalid_request',
      'neutral',
      'success',
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const board = new HealthBoard(DEFAULT_HEALTH);
        const keys = TARGETS[0]!;
        let now = 0;
        let level = 0;
        for (const what of events) {
          const admission = board.admit(keys, now, { throughOpen: false });
          if (!admission.ok) throw new Error('still resting');
          if (what === 'success' || what === 'neutral') board.settle(admission.permit, { kind: what }, now);
          else {
            const failure = makeFailure({ class: what, message: '' });
            board.settle(admission.permit, { kind: 'failure', failure }, now);
          }
          if (what === 'success') level = 0;
          if (what === 'rate_limit') {
            expect(board.standing(keys, now).until! - now).toBe(Math.min(1000 * 2 ** level, 300_000));
            level++;
          }
          now = board.standing(keys, now).until ?? now + 1;
        }
      }),
    );
  });
});

function oops() {
  return makeFailure({ class: 'server_error', message: '' });
}

/** Whether an earlier permit than the last holds the probe of the circuit as it is now. */
function probeOut(keys: HealthKeys, out: readonly Permit[]): boolean {
  return out
    .slice(0, -1)
    .some(
      ({ holdsProbe, epoch, settled, target }) =>
        holdsProbe && !settled && target.keys.channel === keys.channel && epoch === target.channel.breaker.epoch,
    );
}
