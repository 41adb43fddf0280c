/** What an operator can do about the failures of a request: one tip per cause, the first causes first. Pure. */
import type { RequestRecord } from './story.ts';

export interface Tip {
  readonly key:
    | 'tip.rate_limit'
    | 'tip.quota_exhausted'
    | 'tip.auth'
    | 'tip.permission'
    | 'tip.failing'
    | 'tip.model_not_found';
  readonly values: Readonly<Record<string, string>>;
  readonly to: string;
  readonly link: 'tip.to_targets' | 'tip.to_credentials' | 'tip.to_routing';
}

/** More would be read by nobody at night. */
const MOST = 3;

const BY_CLASS: Readonly<Record<string, Pick<Tip, 'key' | 'link'>>> = {
  rate_limit: { key: 'tip.rate_limit', link: 'tip.to_credentials' },
  quota_exhausted: { key: 'tip.quota_exhausted', link: 'tip.to_credentials' },
  auth: { key: 'tip.auth', link: 'tip.to_credentials' },
  permission: { key: 'tip.permission', link: 'tip.to_credentials' },
  model_not_found: { key: 'tip.model_not_found', link: 'tip.to_routing' },
  connection_error: { key: 'tip.failing', link: 'tip.to_targets' },
  timeout: { key: 'tip.failing', link: 'tip.to_targets' },
  overloaded: { key: 'tip.failing', link: 'tip.to_targets' },
  server_error: { key: 'tip.failing', link: 'tip.to_targets' },
  malformed: { key: 'tip.failing', link: 'tip.to_targets' },
};

/** A candidate that rests was not called this time for what happened before. */
const BY_SKIP: Readonly<Record<string, string>> = {
  cooling_rate_limit: 'rate_limit',
  cooling_quota: 'quota_exhausted',
  cooling_auth: 'auth',
  cooling_permission: 'permission',
  cooling_model_not_found: 'model_not_found',
  cooling_backoff: 'server_error',
  circuit_open: 'server_error',
};

const PAGES = { 'tip.to_targets': '/targets', 'tip.to_credentials': '/credentials', 'tip.to_routing': '/routing' };

interface Cause {
  readonly model: string;
  readonly channel: string;
  readonly credential: string | null;
  readonly class: string;
}

function causesOf(record: RequestRecord): Cause[] {
  const failed = record.attempts.flatMap(({ result, rehearsed, model, channel, credential, class: of }) =>
    (result === 'failed' || result === 'interrupted') && rehearsed !== true && of !== null
      ? [{ model, channel, credential, class: of }]
      : [],
  );
  const rested = record.candidates.flatMap(({ skip_reason, tried, model, channel, credential }) => {
    const of = skip_reason === null || tried ? undefined : BY_SKIP[skip_reason];
    return of === undefined ? [] : [{ model, channel, credential, class: of }];
  });
  return [...failed, ...rested];
}

/** @param unnamed what stands for a credential where the provider has none */
export function tipsOf(record: RequestRecord, unnamed: string): Tip[] {
  const tips = new Map<string, Tip>();
  for (const { class: of, model, channel, credential } of causesOf(record)) {
    const known = BY_CLASS[of];
    if (known === undefined) continue;
    const about = known.link === 'tip.to_credentials' ? (credential ?? unnamed) : channel;
    const id = `${known.key} ${about}`;
    if (tips.has(id)) continue;
    const values = { model, channel: `${model} · ${channel}`, credential: credential ?? unnamed };
    tips.set(id, { ...known, values, to: PAGES[known.link] });
  }
  return [...tips.values()].slice(0, MOST);
}
