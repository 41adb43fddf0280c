/** One request: as the log has it, else as it runs; asked again until it is over. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
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

async function runningOf(id: string): Promise<Found> {
  const { data } = await api.GET('/admin/v1/requests/running/{id}', { params: { path: { id } } });
  const running = data as Shape<'RunningRequest'>;
  return running.state === 'finished' ? recordOf(running.id) : { kind: 'running', running };
}

/** The one way, else the other: a request goes from running to recorded between two questions. */
async function either(first: () => Promise<Found>, second: () => Promise<Found>): Promise<Found> {
  try {
    return await first();
  } catch (missing) {
    if (troubleOf(missing).status !== 404) throw missing;
    return second();
  }
}

export function useRequest(id: string) {
  const client = useQueryClient();
  const queryKey = ['request', id];
  return useQuery({
    queryKey,
    queryFn: () => {
      const ran = client.getQueryData<Found>(queryKey)?.kind === 'running';
      const [record, running] = [() => recordOf(id), () => runningOf(id)];
      return ran ? either(running, record) : either(record, running);
    },
    refetchInterval: ({ state }) => {
      if (state.data?.kind === 'running') return GROWS_EVERY_MS;
      return state.data === undefined && troubleOf(state.error).status === 404 ? LOOK_AGAIN_MS : false;
    },
  });
}
