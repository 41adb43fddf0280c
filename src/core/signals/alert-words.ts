/** What an operator reads of a built-in alert. */
import type { Finding, SignalName } from './evaluate.ts';

type Words = (finding: Finding) => string;

const RAISED: Readonly<Record<SignalName, Words>> = {
  retry_rate: ({ value, threshold }) =>
    `${percent(value)} of the requests' calls are repeats at the same target, over ${percent(threshold)}: an upstream is unwell`,
  retry_success: ({ value, threshold }) =>
    `repeats at the same target save ${percent(value)} of the requests that need them, under ${percent(threshold)}: repeating does not help`,
  mean_retries: ({ value, threshold }) =>
    `a failed request takes ${number(value)} repeats on average, from ${number(threshold)} on it is told: an upstream is getting worse`,
  fallback_rate: ({ value, threshold }) =>
    `${percent(value)} of the requests are served by another model than the one asked for, over ${percent(threshold)}`,
  p99: ({ value, threshold }) =>
    `the slowest 1 % of the requests take ${seconds(value)} or more, repeats included; from ${seconds(threshold)} on it is told`,
  channel_slowed: ({ subject, value, threshold }) =>
    `${subject} gets at most ${value} calls at a time of each replica instead of ${threshold}, until fewer of them have to be repeated`,
  credential_unhealthy: ({ subject }) => `the credential ${subject} is refused upstream or out of credit`,
  balance_empty: ({ subject }) => `the prepaid balance of workspace ${subject} is used up`,
  circuit_open: ({ subject }) => `the circuit of ${subject} is open: it fails too often to be called`,
  shared_lost: () => 'the shared state is away: each replica limits and rests by itself',
  store_lost: () => 'the store is away: requests under a key and prepaid ones are refused',
};

/** Why it began; no secrets, no addresses (E-5). */
export function raisedWords(finding: Finding): string {
  return RAISED[finding.name](finding);
}

export function resolvedWords({ name, subject }: Finding): string {
  const what = name.replaceAll('_', ' ');
  return `${subject === null ? what : `${what} of ${subject}`}: over`;
}

function percent(share: number | null): string {
  return `${number(share === null ? null : share * 100)} %`;
}

function seconds(ms: number | null): string {
  return `${number(ms === null ? null : ms / 1000)} s`;
}

function number(value: number | null): string {
  return value === null ? 'an unknown number' : String(Number(value.toPrecision(3)));
}
