/** All objects of one kind, read page by page: their tables sort and search in the browser. */
import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/query-client.ts';
import { ApiTrouble, troubleOf } from '../../api/trouble.ts';
import { useSay } from '../../words/words.ts';
import { accessWords } from './words.ts';

interface ObjectPage<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

/** What the API answered; an answer without a body is a fault of what lies between. */
export function bodyOf<Body>({ data }: { readonly data?: Body }): Body {
  if (data === undefined) throw new ApiTrouble(0, 'an empty answer');
  return data;
}

/** The most that the API gives at a time, and so many times: ten thousand rows are more than anybody looks through. */
const PAGE = 1000;
const MOST_PAGES = 10;

export interface Objects<Row> {
  /** Undefined while they are still coming. */
  readonly rows: readonly Row[] | undefined;
  /** There are more than these. */
  readonly cut: boolean;
  readonly error: unknown;
  readonly reload: () => void;
}

/** @param kind names the objects in the cache; `changed(kind)` has them read again. */
export function useObjects<Row>(
  kind: string,
  workspace: string | null,
  readPage: (page: {
    readonly limit: number;
    readonly cursor?: string;
    readonly workspace?: string;
  }) => Promise<ObjectPage<Row>>,
): Objects<Row> {
  const list = useQuery({
    queryKey: ['objects', kind, workspace],
    queryFn: async () => {
      const rows: Row[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const asked = {
          limit: PAGE,
          ...(workspace === null ? {} : { workspace }),
          ...(cursor === null ? {} : { cursor }),
        };
        const answer: ObjectPage<Row> = await readPage(asked);
        rows.push(...answer.data);
        cursor = answer.next_cursor;
        if (cursor === null) break;
      }
      return { rows, cut: cursor !== null };
    },
  });
  return {
    rows: list.data?.rows,
    cut: list.data?.cut ?? false,
    error: list.error,
    reload: () => void list.refetch(),
  };
}

/** One object of a kind; read again with the others. */
export function useObject<Row>(kind: string, name: string, read: () => Promise<Row>) {
  return useQuery({ queryKey: ['objects', kind, 'one', name], queryFn: read });
}

/** Has the objects of a kind read again, wherever they are shown. */
export async function changed(kind: string): Promise<void> {
  // Other pages know them by their address.
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['objects', kind] }),
    queryClient.invalidateQueries({ queryKey: ['get', `/admin/v1/${kind}`] }),
  ]);
}

/** The gateway's word for a change that was made from an older version than there is. */
const MEANWHILE = /meanwhile/;

/**
 * Makes a change of a kind, and has its objects read again: also where somebody else was faster, and then says what to do.
 */
export function useChange(kind: string): <Done>(work: () => Promise<Done>) => Promise<Done> {
  const say = useSay(accessWords);
  return async (work) => {
    try {
      const done = await work();
      await changed(kind);
      return done;
    } catch (thrown) {
      const trouble = troubleOf(thrown);
      if (trouble.status !== 409 || !MEANWHILE.test(trouble.message)) throw trouble;
      await changed(kind);
      const { status, code, param, requestId, retryAfterMs } = trouble;
      throw new ApiTrouble(status, `${trouble.message} ${say('stale')}`, { code, param, requestId, retryAfterMs });
    }
  };
}

/** The header of a change that was made from this version (409 when it is another by now). */
export function ifVersion({ version }: { readonly version: number }): { readonly 'If-Match': string } {
  return { 'If-Match': String(version) };
}
