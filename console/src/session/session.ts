/** Who is signed in: asked once, kept in React Query, gone when the gateway says so. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { csrfHeaders, keepCsrfToken } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { ApiTrouble, troubleOf } from '../api/trouble.ts';
import { takeLinkToken } from './link-token.ts';

export type Role = 'account_admin' | 'workspace_admin' | 'member';

export interface Session {
  readonly name: string;
  readonly role: Role;
  /** The one workspace of a workspace admin or member; null = all. */
  readonly workspace: string | null;
  readonly csrf_token: string;
  readonly expires_at: string;
}

const ADDRESS = '/admin/v1/session';
const KEY = ['session'] as const;

async function call(init: RequestInit): Promise<Response> {
  try {
    return await fetch(ADDRESS, { credentials: 'same-origin', ...init });
  } catch (error) {
    throw troubleOf(error);
  }
}

async function sessionIn(response: Response): Promise<Session> {
  if (!response.ok) throw await ApiTrouble.from(response);
  const session = (await response.json()) as Session;
  keepCsrfToken(session.csrf_token);
  return session;
}

async function open(token: string): Promise<Session> {
  const headers = { 'content-type': 'application/json' };
  return sessionIn(await call({ method: 'POST', headers, body: JSON.stringify({ token }) }));
}

/** Of a link that carries a token, else of the cookie; null = nobody is signed in. */
async function current(): Promise<Session | null> {
  const token = takeLinkToken();
  if (token !== null) return open(token);
  const response = await call({ method: 'GET' });
  return response.status === 401 ? null : sessionIn(response);
}

/** The session while it is being found out, and once it is known. */
export function useSessionQuery() {
  return useQuery({ queryKey: KEY, queryFn: current, staleTime: Number.POSITIVE_INFINITY, retry: false });
}

/** Signs in and opens the page that was asked for. Rejects with `ApiTrouble`. */
export function useSignIn(): (token: string) => Promise<void> {
  const client = useQueryClient();
  return async (token) => {
    const session = await open(token);
    client.setQueryData(KEY, session);
  };
}

/** The gateway no longer knows the session: what was read under it is forgotten. */
export function forgetSession(): void {
  keepCsrfToken(null);
  queryClient.setQueryData(KEY, null);
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
}

/** Ends the session at every replica. */
export async function signOut(): Promise<void> {
  const response = await call({ method: 'DELETE', headers: csrfHeaders() });
  if (!response.ok && response.status !== 401) throw await ApiTrouble.from(response);
  forgetSession();
}

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

/** Who is signed in. Only under the shell. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('useSession is used outside of the shell');
  return session;
}
