/** Which workspace the page is about: that of a client key in the address, then the one in view, else the first. */
import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { query } from '../../api/client.ts';
import { useSession } from '../../session/session.ts';
import { useWorkspaceFilter } from '../../shell/workspace-filter.tsx';

/** Always there. */
const DEFAULT = 'default';

export interface RoutedWorkspace {
  /** Undefined while they are still coming, and for who has one alone. */
  readonly names: readonly string[] | undefined;
  /** Null = not known yet. */
  readonly name: string | null;
  /** Nobody has chosen one yet. */
  readonly isOpen: boolean;
  readonly choose: (name: string) => void;
  readonly error: unknown;
  readonly retry: () => void;
}

export function useRoutedWorkspace(): RoutedWorkspace {
  const { role, workspace: own } = useSession();
  const { workspace, choose } = useWorkspaceFilter();
  const [params, setParams] = useSearchParams();
  const isAll = role === 'account_admin';
  // Of the address the page was opened by: a key that is chosen later is one of the same workspace.
  const [key] = useState(() => (isAll ? params.get('key') : null));
  const [settled, setSettled] = useState(key === null);
  const list = query.useQuery(
    'get',
    '/admin/v1/workspaces',
    { params: { query: { limit: 1000 } } },
    { enabled: isAll },
  );
  const ofKey = query.useQuery(
    'get',
    '/admin/v1/keys/{id}',
    { params: { path: { id: key ?? '' } } },
    { enabled: !settled, retry: false },
  );
  const keyed = ofKey.data?.workspace ?? null;
  useEffect(() => {
    if (settled || ofKey.isPending) return;
    if (keyed !== null && keyed !== workspace) choose(keyed);
    else setSettled(true);
  }, [settled, ofKey.isPending, keyed, workspace, choose]);

  const names = isAll ? list.data?.data.map(({ name }) => name) : undefined;
  const first = names?.includes(DEFAULT) ? DEFAULT : (names?.[0] ?? null);
  return {
    names,
    name: isAll ? (settled ? (workspace ?? first) : keyed) : own,
    isOpen: workspace === null,
    // The key of the address is the other workspace's.
    choose: (next) =>
      setParams(
        (before) => {
          before.set('workspace', next);
          before.delete('key');
          return before;
        },
        { replace: true },
      ),
    error: list.error,
    retry: () => void list.refetch(),
  };
}
