/** Which workspace the pages show: in the address (`?workspace=…`), and kept while one moves from page to page. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { queryNow } from '../parts/address.ts';
import { useSession } from '../session/session.ts';

interface WorkspaceFilter {
  /** Null = all that the caller may see. */
  readonly workspace: string | null;
  choose(workspace: string | null): void;
}

const KEPT_AS = 'understudy.workspace';
const Context = createContext<WorkspaceFilter>({ workspace: null, choose: () => {} });

function kept(): string | null {
  try {
    return sessionStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}

function keep(workspace: string | null): void {
  try {
    if (workspace === null) sessionStorage.removeItem(KEPT_AS);
    else sessionStorage.setItem(KEPT_AS, workspace);
  } catch {
    // Storage is off: the address alone has it.
  }
}

export function WorkspaceFilterProvider({ children }: { readonly children: ReactNode }) {
  const { role, workspace: own } = useSession();
  const [params, setParams] = useSearchParams();
  const inAddress = params.get('workspace');
  const workspace = role === 'account_admin' ? (inAddress ?? kept()) : own;

  const choose = useCallback(
    (next: string | null) => {
      keep(next);
      const query = queryNow();
      if (next === null) query.delete('workspace');
      else query.set('workspace', next);
      query.delete('cursor');
      setParams(query, { replace: true });
    },
    [setParams],
  );

  // An address that is copied shows the same to whoever opens it.
  useEffect(() => {
    if (role !== 'account_admin') return;
    if (inAddress !== null) keep(inAddress);
    else if (workspace !== null) choose(workspace);
  }, [role, inAddress, workspace, choose]);

  const value = useMemo(() => ({ workspace, choose }), [workspace, choose]);
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

/** The workspace in view; null = all of them. For a workspace admin it is always its own. */
export function useWorkspaceFilter(): WorkspaceFilter {
  return useContext(Context);
}
