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

async function find(id: string): Promise<Trace> {
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

/** What is nowhere yet is no failure: the log is written behind the answer (O-2). */
function unseenOr(error: unknown): Trace {
  if (troubleOf(error).status !== 404) throw error;
  return { kind: 'unseen' };
}

/** @param id the gateway's, or the client's own until that is known; null = nothing was sent */
export function useTrace(id: string | null): Trace | undefined {
  const asked = useQuery({
    queryKey: ['playground', id],
    queryFn: () => find(id ?? ''),
    enabled: id !== null,
    // What was seen under the client's own id stays until the gateway's is looked up.
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.kind === 'over' ? false : EVERY_MS),
  });
  return id === null ? undefined : asked.data;
}
