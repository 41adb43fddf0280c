/** Asks for the whole board, page by page, again and again while somebody looks; and what changes it. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Shape } from '../../api/client.ts';
import { api } from '../../api/client.ts';
import { serverNow } from '../../api/clock.ts';
import { queryClient } from '../../api/query-client.ts';
import { useWorkspaceFilter } from '../../shell/workspace-filter.tsx';
import type { Target } from './board.ts';

/** The most that a page of the API holds. */
const PAGE = 1000;
/** A browser that holds more than this is no faster than a person who filters. */
export const MOST_TARGETS = 20_000;
/** A small board is asked for often: a rest may be over in seconds. A big one is work for the gateway. */
const SMALL = 1000;
const SMALL_MS = 5_000;
const BIG_MS = 20_000;

export interface Board {
  readonly targets: readonly Target[];
  readonly truncated: boolean;
}

const KEY = 'targets';

async function ask(workspace: string | null): Promise<Board> {
  const targets: Target[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string; workspace?: string } = { limit: PAGE };
    if (cursor !== null) query.cursor = cursor;
    if (workspace !== null) query.workspace = workspace;
    const { data } = await api.GET('/admin/v1/health/targets', { params: { query } });
    if (data === undefined) throw new Error('no targets in the answer');
    targets.push(...data.data);
    cursor = data.next_cursor;
  } while (cursor !== null && targets.length < MOST_TARGETS);
  return { targets, truncated: cursor !== null };
}

/** The board. Not asked for while the page is hidden, nor with `live` off. */
export function useTargets(live: boolean) {
  const { workspace } = useWorkspaceFilter();
  return useQuery({
    queryKey: [KEY, workspace],
    queryFn: () => ask(workspace),
    refetchInterval: ({ state }) => (!live ? false : (state.data?.targets.length ?? 0) <= SMALL ? SMALL_MS : BIG_MS),
    refetchOnWindowFocus: live,
    placeholderData: keepPreviousData,
  });
}

export type Deed = 'drain' | 'undrain' | 'reset';

/** Does it, and puts what the target is then into the board at once. */
export async function change(deed: Deed, id: string): Promise<Target> {
  const { data } = await api.POST(`/admin/v1/health/targets/{id}/${deed}`, { params: { path: { id } } });
  if (data === undefined) throw new Error('no target in the answer');
  queryClient.setQueriesData<Board>({ queryKey: [KEY] }, (board) =>
    board === undefined
      ? undefined
      : { ...board, targets: board.targets.map((target) => (target.id === data.id ? data : target)) },
  );
  void queryClient.invalidateQueries({ queryKey: [KEY] });
  return data;
}

/** Failures of the last hour say more than a class. */
const LATELY_MS = 3_600_000;
const LATELY_REFRESH_MS = 30_000;

export type Failing = Shape<'Failing'>;

/** Names a target among failures. */
export const failingKey = ({ model, channel, credential }: Pick<Target, 'model' | 'channel' | 'credential'>): string =>
  JSON.stringify([model, channel, credential]);

/** What targets failed with of late, the most frequent failure of each. Without it the board does as well. */
export function useLastFailures(live: boolean): ReadonlyMap<string, Failing> {
  const { workspace } = useWorkspaceFilter();
  const { data } = useQuery({
    queryKey: ['target failures', workspace],
    queryFn: async () => {
      const query = {
        from: new Date(serverNow() - LATELY_MS).toISOString(),
        ...(workspace === null ? {} : { workspace }),
      };
      const { data: overview } = await api.GET('/admin/v1/overview', { params: { query } });
      const last = new Map<string, Failing>();
      for (const failing of overview?.failing ?? []) {
        const key = failingKey(failing);
        if (!last.has(key)) last.set(key, failing);
      }
      return last;
    },
    refetchInterval: live ? LATELY_REFRESH_MS : false,
  });
  return data ?? NONE;
}

const NONE: ReadonlyMap<string, Failing> = new Map();
