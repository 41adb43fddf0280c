/** Who is signed in: asked once, kept in React Query, gone when the gateway says so. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { api, keepCsrfToken, type Shape } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { ApiTrouble, troubleOf } from '../api/trouble.ts';
import { takeLinkToken } from './link-token.ts';

export type Session = Shape<'Session'>;
export type Role = Session['role'];

const ADDRESS = '/admin/v1/session';
const KEY = ['session'] as const;

function keep(session: Session | undefined): Session {
  if (session === undefined) throw new ApiTrouble(0, 'an empty answer');
  keepCsrfToken(session.csrf_token);
  return session;
}

async function open(token: string): Promise<Session> {
  const { data } = await api.POST(ADDRESS, { body: { token } });
  return keep(data);
}

/** Of a link that carries a token, else of the cookie; null = nobody is signed in. */
async function current(): Promise<Session | null> {
  const token = takeLinkToken();
  if (token !== null) return open(token);
  try {
    const { data } = await api.GET(ADDRESS);
    return keep(data);
  } catch (error) {
    if (troubleOf(error).status === 401) return null;
    throw error;
  }
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
    ended = false;
    client.setQueryData(KEY, session);
  };
}

let ended = false;

/** Whether the last session ended unasked: by its age, or from elsewhere. */
export function hasSessionEnded(): boolean {
  return ended;
}

/** The gateway no longer knows the session: what was read under it is forgotten. */
export function forgetSession(): void {
  ended = true;
  keepCsrfToken(null);
  queryClient.setQueryData(KEY, null);
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
}

const leaving = new Set<() => Promise<void>>();

/** What has to be tidied up as long as somebody is signed in. Gives back how to take it away. */
export function beforeSignOut(tidy: () => Promise<void>): () => void {
  leaving.add(tidy);
  return () => void leaving.delete(tidy);
}

/** Ends the session at every replica. */
export async function signOut(): Promise<void> {
  await Promise.allSettled([...leaving].map((tidy) => tidy()));
  await api.DELETE(ADDRESS);
  forgetSession();
  ended = false;
}

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

/** Who is signed in. Only under the shell. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('useSession is used outside of the shell');
  return session;
}
