/** The draft of one workspace: made from a version of it, saved if it still is that one, taken back again. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { api, query } from '../../api/client.ts';
import { troubleOf } from '../../api/trouble.ts';
import { changesOf, type Draft, draftOf, type Patch, rebased, reverseOf, type Workspace } from './draft.ts';

export interface WorkspaceDraft {
  readonly workspace: Workspace | undefined;
  readonly error: unknown;
  readonly reload: () => void;
  /** What the draft was made from. */
  readonly base: Workspace | undefined;
  readonly draft: Draft | undefined;
  /** Null = nothing is changed. */
  readonly changes: Patch | null;
  readonly change: (part: Partial<Draft>) => void;
  readonly discard: () => void;
  /** False = it failed; `trouble` says why. */
  readonly save: () => Promise<boolean>;
  /** Somebody else changed it meanwhile: takes over theirs, and keeps what the draft changed. */
  readonly takeOver: () => Promise<void>;
  /** Undefined = there is nothing to take back. */
  readonly undo: (() => Promise<boolean>) | undefined;
  /** What was done last and is looked back at; null = nothing. */
  readonly last: 'save' | 'undo' | null;
  /** Something else was changed that plans depend on. */
  readonly look: () => void;
  /** Ends the looking back at what the last save changed. */
  readonly settle: () => void;
  readonly busy: boolean;
  readonly trouble: unknown;
  /** How often it was saved from here: answers of before and after differ by it. */
  readonly revision: number;
  /** The revision that the present one is held against; null = none. */
  readonly against: number | null;
}

interface Kept {
  readonly base: Workspace;
  readonly draft: Draft;
}
interface Saved {
  readonly back: Patch;
  readonly version: number;
}

export function useWorkspaceDraft(name: string): WorkspaceDraft {
  const client = useQueryClient();
  const path = { params: { path: { id: name } } } as const;
  const options = query.queryOptions('get', '/admin/v1/workspaces/{id}', path);
  const read = query.useQuery('get', '/admin/v1/workspaces/{id}', path);
  const [kept, setKept] = useState<Kept | null>(null);
  const [saved, setSaved] = useState<Saved | null>(null);
  const [revision, setRevision] = useState(0);
  const [against, setAgainst] = useState<number | null>(null);
  const [last, setLast] = useState<'save' | 'undo' | null>(null);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<unknown>(null);

  const workspace = read.data;
  const base = kept?.base ?? workspace;
  const draft = useMemo(() => kept?.draft ?? (workspace && draftOf(workspace)), [kept, workspace]);
  const changes = useMemo(() => (base && draft ? changesOf(base, draft) : null), [base, draft]);

  const change = useCallback(
    (part: Partial<Draft>) => {
      setTrouble(null);
      setKept((before) => {
        const from = before?.base ?? workspace;
        if (from === undefined) return before;
        return { base: from, draft: { ...(before?.draft ?? draftOf(from)), ...part } };
      });
    },
    [workspace],
  );

  const discard = useCallback(() => {
    setKept(null);
    setTrouble(null);
  }, []);

  const look = useCallback(() => {
    setAgainst(revision);
    setRevision(revision + 1);
  }, [revision]);

  /** Sends a patch made from a version; gives back the workspace as it is then. */
  const send = async (patch: Patch, version: number): Promise<Workspace | null> => {
    setBusy(true);
    setTrouble(null);
    try {
      const { data } = await api.PATCH('/admin/v1/workspaces/{id}', {
        params: { path: { id: name }, header: { 'If-Match': String(version) } },
        body: patch,
      });
      if (data === undefined) return null;
      client.setQueryData(options.queryKey, data);
      look();
      return data;
    } catch (thrown) {
      setTrouble(troubleOf(thrown));
      return null;
    } finally {
      setBusy(false);
    }
  };

  const save = async () => {
    if (base === undefined || changes === null) return false;
    const after = await send(changes, base.version);
    if (after === null) return false;
    setSaved({ back: reverseOf(base, changes), version: after.version });
    setLast('save');
    setKept(null);
    return true;
  };

  const undo = async () => {
    if (saved === null) return false;
    const after = await send(saved.back, saved.version);
    if (after !== null) {
      setSaved(null);
      setLast('undo');
    }
    return after !== null;
  };

  const takeOver = async () => {
    const { data: now } = await read.refetch();
    if (now === undefined) return;
    setTrouble(null);
    setSaved(null);
    setKept((before) => before && { base: now, draft: rebased(before.base, now, before.draft) });
  };

  const settle = useCallback(() => {
    setSaved(null);
    setLast(null);
    setAgainst(null);
  }, []);

  return {
    workspace,
    error: read.error,
    reload: () => void read.refetch(),
    base,
    draft,
    changes,
    change,
    discard,
    save,
    takeOver,
    undo: saved === null || changes !== null ? undefined : undo,
    last,
    look,
    settle,
    busy,
    trouble,
    revision,
    against,
  };
}
