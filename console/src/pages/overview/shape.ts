/** What the overview is made of, as the gateway sends it, and two sums that the page counts by. */
import type { Shape } from '../../api/client.ts';

export type Overview = Shape<'Overview'>;
/** Figures of one stretch of time. */
export type Sums = Shape<'OverviewSums'>;
export type ServedTimes = Shape<'ServedTimes'>;
/** A model that answered for another one. */
export type Covering = Shape<'Covering'>;
/** A target whose attempts failed. */
export type Failing = Shape<'Failing'>;
export type Alert = Shape<'Alert'>;

/** Requests that got no answer by an upstream's fault, or of which nobody knows. */
export function lostOf({ outcomes }: Pick<Sums, 'outcomes'>): number {
  return outcomes.upstream_rate_limited + outcomes.upstream_unavailable + outcomes.network_unknown;
}

/** Requests that could have been answered: those a client got wrong are not among them. */
export function answerableOf({ requests, outcomes }: Pick<Sums, 'requests' | 'outcomes'>): number {
  return requests - outcomes.client_error;
}
