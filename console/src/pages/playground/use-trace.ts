/** The trace of the request that was just sent: as it grows, then as the log has it. */
import { useQuery } from '@tanstack/react-query';
import { api, type Shape } from '../../api/client.ts';
import { troubleOf } from '../../api/trouble.ts';

export type Trace =
  | { readonly kind: 'over'; readonly record: Shape<'RequestRecord'> }
  | { readonly kind: 'running'; readonly running: Shape<'RunningRequest'> }
  /** On its way here, or just written down. */
  | { readonly kind: 'unseen' };

/** As often as eyes follow. */
const EVERY_MS = 300;
/** The log is written behind the answer (O-2); what is not in it by then was never taken in. */
const LOOKED_FOR_MS = 10_000;

/** While it runs it is asked for where it runs; afterwards in the log, wherever it ran. */
function find(id: string, over: boolean): Promise<Trace> {
  return over ? recordOf(id) : runningOf(id);
}

async function runningOf(id: string): Promise<Trace> {
  try {
    const { data } = await api.GET('/admin/v1/requests/running/{id}', { params: { path: { id } } });
    if (data === undefined) return { kind: 'unseen' };
    return data.state === 'finished' ? await recordOf(data.id) : { kind: 'running', running: data };
  } catch (error) {
    return unseenOr(error);
  }
}

async function recordOf(id: string): Promise<Trace> {
  try {
    const { data } = await api.GET('/admin/v1/requests/{id}', { params: { path: { id } } });
    return data === undefined ? { kind: 'unseen' } : { kind: 'over', record: data };
  } catch (error) {
    return unseenOr(error);
  }
}

/** What is nowhere yet is no failure. */
function unseenOr(error: unknown): Trace {
  if (troubleOf(error).status !== 404) throw error;
  return { kind: 'unseen' };
}

export interface Looked {
  readonly trace: Trace | undefined;
  /** It is still being looked for. */
  readonly looking: boolean;
  /** Why it cannot be looked for; null = it can. */
  readonly trouble: unknown;
}

/**
 * @param id the gateway's, or the client's own until that is known; null = nothing was sent
 * @param endedAt when the answer was over, by this browser's clock; null = it is not
 */
export function useTrace(id: string | null, endedAt: number | null): Looked {
  const lasts = (): boolean => endedAt === null || Date.now() - endedAt < LOOKED_FOR_MS;
  const asked = useQuery({
    queryKey: ['playground', id, endedAt !== null],
    queryFn: () => find(id ?? '', endedAt !== null),
    enabled: id !== null,
    // What was seen under the client's own id, or while it ran, stays until there is more.
    placeholderData: (before) => before,
    refetchInterval: ({ state }) =>
      state.data?.kind === 'over' || state.status === 'error' || !lasts() ? false : EVERY_MS,
  });
  const trace = id === null ? undefined : asked.data;
  // Read, so that every look shows: the last one says that nothing was found.
  const looked = asked.dataUpdatedAt;
  const looking = trace?.kind !== 'over' && (looked === 0 || lasts());
  return { trace, looking, trouble: id === null ? null : asked.error };
}
