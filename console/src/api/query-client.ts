/** What is kept of the gateway's answers, and how long. */
import { QueryClient } from '@tanstack/react-query';
import { troubleOf } from './trouble.ts';

/** A page opened again within this time does not ask again: moving about must not become load. */
const FRESH_MS = 5_000;
/** A gateway that restarts is back within this many tries; a refusal is never tried again. */
const TRIES = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (count, error) => {
        const { status } = troubleOf(error);
        return count < TRIES && (status === 0 || status >= 500);
      },
    },
    mutations: { retry: false },
  },
});
