/** Asks for the overview again and again, as long as somebody looks. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { serverNow } from '../../api/clock.ts';
import { useWorkspaceFilter } from '../../shell/workspace-filter.tsx';
import type { Alert, Overview } from './shape.ts';
import { lengthOf, type WindowName } from './time-window.ts';

async function ask(name: WindowName, workspace: string | null): Promise<Overview> {
  const to = serverNow();
  const { data } = await api.GET('/admin/v1/overview', {
    params: {
      query: {
        from: new Date(to - lengthOf(name).ms).toISOString(),
        to: new Date(to).toISOString(),
        ...(workspace === null ? {} : { workspace }),
      },
    },
  });
  if (data === undefined) throw new Error('no overview in the answer');
  return data;
}

/** The overview of a window that ends now. Not asked for while the page is hidden, nor with `live` off. */
export function useOverview(name: WindowName, live: boolean) {
  const { workspace } = useWorkspaceFilter();
  return useQuery({
    queryKey: ['overview', name, workspace],
    queryFn: () => ask(name, workspace),
    refetchInterval: live ? lengthOf(name).refreshMs : false,
    refetchOnWindowFocus: live,
    placeholderData: keepPreviousData,
  });
}

/** Alerts change within seconds. */
const ALERTS_MS = 10_000;
/** What was told of late is a hint, no log. */
const MOST_ALERTS = 50;

async function askAlerts(): Promise<readonly Alert[]> {
  const { data } = await api.GET('/admin/v1/alerts', { params: { query: { limit: MOST_ALERTS } } });
  return data?.data ?? [];
}

export function useAlerts(live: boolean) {
  return useQuery({
    queryKey: ['overview', 'alerts'],
    queryFn: askAlerts,
    refetchInterval: live ? ALERTS_MS : false,
    refetchOnWindowFocus: live,
  });
}
