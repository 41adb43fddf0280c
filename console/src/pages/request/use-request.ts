/** One request: as the log has it, else as it runs; asked again until it is over. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, type Shape } from '../../api/client.ts';
import { troubleOf } from '../../api/trouble.ts';

export type Found =
  | { readonly kind: 'over'; readonly record: Shape<'RequestRecord'> }
  | { readonly kind: 'running'; readonly running: Shape<'RunningRequest'> };

/** Twice a second is as often as eyes follow. */
const GROWS_EVERY_MS = 500;
/** One that is nowhere may run at another gateway: its record comes when it is over. */
const LOOK_AGAIN_MS = 3_000;

async function recordOf(id: string): Promise<Found> {
  const { data } = await api.GET('/admin/v1/requests/{id}', { params: { path: { id } } });
  return { kind: 'over', record: data as Shape<'RequestRecord'> };
}

async function find(id: string): Promise<Found> {
  try {
    return await recordOf(id);
  } catch (missing) {
    if (troubleOf(missing).status !== 404) throw missing;
    try {
      const { data } = await api.GET('/admin/v1/requests/running/{id}', { params: { path: { id } } });
      if (data === undefined) throw missing;
      // It ended between the two questions, or its record is not the one asked for: by the client's own id.
      return data.state === 'finished' ? await recordOf(data.id) : { kind: 'running', running: data };
    } catch (second) {
      throw troubleOf(second).status === 404 ? missing : second;
    }
  }
}

export function useRequest(id: string) {
  return useQuery({
    queryKey: ['request', id],
    queryFn: () => find(id),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      if (state.data?.kind === 'running') return GROWS_EVERY_MS;
      return state.data === undefined && troubleOf(state.error).status === 404 ? LOOK_AGAIN_MS : false;
    },
  });
}
