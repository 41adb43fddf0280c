/** What a key has used: of its limits, and of upstream calls for what its clients wanted. */
import { api, type Shape } from '../../api/client.ts';
import { LIMIT_NAMES, type LimitName } from '../access/limits.tsx';
import { bodyOf, useObjects } from '../access/use-objects.ts';

export type Key = Shape<'Key'>;
export type KeySum = Shape<'UsageSum'>;

export interface UsedLimit {
  readonly name: LimitName;
  /** Null = nobody tells: windows of a minute move on. */
  readonly used: number | null;
  readonly most: number;
}

/** The limits that are set, with what is used of each. */
export function usedLimits({ limits, usage }: Pick<Key, 'limits' | 'usage'>): readonly UsedLimit[] {
  const { day, month, in_flight: running } = usage;
  const used: Readonly<Record<LimitName, number | null>> = {
    rpm: null,
    tpm: null,
    rpd: day.requests,
    concurrent: running,
    tokens_per_day: day.tokens,
    tokens_per_month: month.tokens,
    usd_per_day: day.spend_usd,
    usd_per_month: month.spend_usd,
  };
  return LIMIT_NAMES.flatMap((name) => {
    const most = limits?.[name];
    return most === undefined ? [] : [{ name, used: used[name], most }];
  });
}

/** The one that will refuse first. */
export function tightest(key: Pick<Key, 'limits' | 'usage'>): (UsedLimit & { readonly used: number }) | null {
  const known = usedLimits(key).flatMap(({ name, used, most }) => (used === null ? [] : [{ name, used, most }]));
  return known.sort((a, b) => b.used / b.most - a.used / a.most)[0] ?? null;
}

/**
 * Upstream calls for each thing a client wanted (D-7): its own repeats of a failed request are no new wish. Null = it wanted
 * nothing.
 */
export function callsPerRequest(sum: KeySum | undefined): number | null {
  if (sum === undefined) return null;
  const wanted = sum.requests - sum.client_retries;
  return wanted <= 0 ? null : sum.upstream_calls / wanted;
}

/** Sums of the last 30 days, by key. */
export function useKeySums(workspace: string | null): ReadonlyMap<string, KeySum> {
  const { rows = [] } = useObjects('key sums', workspace, async (page) =>
    bodyOf(await api.GET('/admin/v1/usage', { params: { query: { ...page, by: 'key' } } })),
  );
  return new Map(rows.flatMap((sum) => (sum.name === null ? [] : [[sum.name, sum] as const])));
}
