/** Failures on purpose: what the header says for each choice. */

/** By the choice's name: what the header says of it. */
const HEADERS = {
  none: null,
  503: 'status=503',
  500: 'status=500',
  429: 'status=429;retry_after=30',
  401: 'status=401',
  400: 'status=400',
  refused: 'fault=refused',
  reset: 'fault=reset',
  timeout: 'fault=timeout',
  malformed: 'fault=malformed',
} as const;

export type FaultName = `${keyof typeof HEADERS}`;
export const FAULTS = ['none', '503', '429', '500', '401', '400', 'refused', 'reset', 'timeout', 'malformed'] as const;

/** As many as the gateway lets fail on purpose. */
export const MOST_TIMES = 20;

/** The value of `X-Understudy-Rehearse`; null = nothing fails on purpose. */
export function rehearsalOf(fault: FaultName, times: number): string | null {
  const said = HEADERS[fault];
  return said === null ? null : `${said};times=${times}`;
}
