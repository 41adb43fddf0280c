/** One attempt as the timeline draws it: of a request that is over, or of one that still runs. Pure. */
import type { Shape } from '../../api/client.ts';

export interface ShownAttempt {
  readonly no: number;
  readonly model: string;
  readonly channel: string;
  readonly credential: string | null;
  /** How it ended, or how far it has come. */
  readonly state: string;
  readonly status: number | null;
  readonly class: string | null;
  readonly message: string | null;
  readonly hedge: boolean;
  readonly rehearsed: boolean;
  /** Null while it runs. */
  readonly decision: string | null;
  readonly reason: string | null;
  /** Milliseconds since the request came in. */
  readonly from: number;
  readonly to: number;
  readonly first: number | null;
  /** How long nothing was asked before it; 0 = others ran, or it followed at once. */
  readonly waited: number;
  /** What the record alone knows. */
  readonly whole: Shape<'Attempt'> | null;
}

type Growing = Shape<'RunningAttempt'>;

/** Shorter gaps are the gateway's own steps, not a wait. */
const WAIT_FROM_MS = 20;

const OVER = new Set(['served', 'failed', 'interrupted', 'cancelled', 'late_success']);

/** Whether it is over. */
export function isOver({ state }: Pick<ShownAttempt, 'state'>): boolean {
  return OVER.has(state);
}

/** How its bar and badge are toned; `served` by another model than the requested one is a cover. */
export function toneOf(
  { state, model }: Pick<ShownAttempt, 'state' | 'model'>,
  requested: string | null,
): 'ok' | 'cover' | 'bad' | 'off' | 'info' {
  switch (state) {
    case 'served':
      return model === requested || requested === null ? 'ok' : 'cover';
    case 'failed':
    case 'interrupted':
      return 'bad';
    case 'cancelled':
    case 'late_success':
      return 'off';
    default:
      return 'info';
  }
}

function shown(attempt: Growing | Shape<'Attempt'>, at: number, whole: Shape<'Attempt'> | null): ShownAttempt {
  const from = Math.max(0, Date.parse(attempt.started_at) - at);
  const { no, model, channel, credential, status, provider_message, hedge, decision, reason } = attempt;
  return {
    no,
    model,
    channel,
    credential,
    state: 'result' in attempt ? attempt.result : attempt.state,
    status,
    class: attempt.class,
    message: provider_message,
    hedge,
    rehearsed: attempt.rehearsed === true,
    decision,
    reason,
    from,
    to: from + attempt.latency_ms,
    first: attempt.ttft_ms === null ? null : from + attempt.ttft_ms,
    waited: 0,
    whole,
  };
}

/** All attempts of a request, in order, with the waits between them. */
export function shownAttempts(at: string, attempts: readonly (Growing | Shape<'Attempt'>)[]): readonly ShownAttempt[] {
  const began = Date.parse(at);
  let busyUntil: number | null = null;
  return attempts.map((attempt) => {
    const one = shown(attempt, began, 'result' in attempt ? attempt : null);
    const idle = busyUntil === null ? 0 : one.from - busyUntil;
    busyUntil = Math.max(busyUntil ?? 0, one.to);
    return { ...one, waited: idle >= WAIT_FROM_MS ? idle : 0 };
  });
}

/** Where the axis has its ticks: three to six round figures from 0 on. */
export function ticksOf(total: number): readonly number[] {
  if (!(total > 0)) return [0];
  const rough = total / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((part) => part * power).find((size) => size >= rough) ?? rough;
  return Array.from({ length: Math.floor(total / step) + 1 }, (_, index) => index * step);
}
