/** All models with their channels, page by page. */
import { useQuery } from '@tanstack/react-query';
import { api, type Shape } from '../../api/client.ts';

export type Model = Shape<'Model'>;
export type Channel = Shape<'Channel'>;

/** As many as the gateway gives at once. */
const PAGE = 1000;
/** A browser holds no more than this without getting slow; `more` says that there are others. */
const MOST_PAGES = 5;

/** As many as a browser takes. */
export interface KnownModels {
  readonly models: readonly Model[];
  readonly more: boolean;
}

type Page = Readonly<{ data: Model[]; next_cursor: string | null }>;

async function modelsFrom(cursor: string | null): Promise<Page> {
  const asked = { limit: PAGE, ...(cursor === null ? {} : { cursor }) };
  const { data } = await api.GET('/admin/v1/models', { params: { query: asked } });
  return { data: data?.data ?? [], next_cursor: data?.next_cursor ?? null };
}

/** Read once for the whole page. */
export function useModels() {
  return useQuery({
    queryKey: ['get', '/admin/v1/models', 'all'],
    queryFn: async (): Promise<KnownModels> => {
      const models: Model[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const answer = await modelsFrom(cursor);
        models.push(...answer.data);
        cursor = answer.next_cursor;
        if (cursor === null) break;
      }
      return { models, more: cursor !== null };
    },
  });
}
