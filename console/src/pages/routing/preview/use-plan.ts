/** Asks the gateway what would become of a request, calling nobody. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { Plan } from './plan-marks.ts';
import { type Question, requestOf } from './question.ts';

/** Health changes by the second: an answer that is older is asked for anew when it is looked at again. */
const FRESH_MS = 2_000;

const keyOf = (question: Question, chain: readonly string[], revision: number) =>
  ['plan', question.key, requestOf(question, chain), revision] as const;

/** @param chain null = nothing is asked */
export function usePlan(question: Question, chain: readonly string[] | null, revision: number) {
  return useQuery({
    queryKey: keyOf(question, chain ?? [], revision),
    queryFn: async (): Promise<Plan> => {
      const body = { key: question.key, request: requestOf(question, chain ?? []) };
      const { data } = await api.POST('/admin/v1/plan', { body });
      if (data === undefined) throw new Error('the gateway answered nothing');
      return data;
    },
    enabled: chain !== null && chain[0] !== undefined && chain[0] !== '' && question.key !== '',
    staleTime: FRESH_MS,
    placeholderData: keepPreviousData,
  });
}

/** The answer to the same question before a save; null = it was not asked then. */
export function usePlanBefore(question: Question, revision: number | null): Plan | null {
  const client = useQueryClient();
  if (revision === null) return null;
  return client.getQueryData<Plan>(keyOf(question, question.chain, revision)) ?? null;
}
