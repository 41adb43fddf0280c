/** The draft, kept in this tab: looking at an example request must not lose it. */
import { useCallback, useState } from 'react';
import { countCells, type Draft, readDraft } from './table.ts';

const KEPT_AS = 'understudy.policy-draft';

function kept(): Draft {
  try {
    return readDraft(sessionStorage.getItem(KEPT_AS));
  } catch {
    return {};
  }
}

function keep(draft: Draft): void {
  try {
    if (countCells(draft) === 0) sessionStorage.removeItem(KEPT_AS);
    else sessionStorage.setItem(KEPT_AS, JSON.stringify(draft));
  } catch {
    // Storage is off: the draft lasts as long as the page is open.
  }
}

export function usePolicyDraft(): readonly [Draft, (draft: Draft) => void] {
  const [draft, setDraft] = useState(kept);
  const set = useCallback((next: Draft) => {
    keep(next);
    setDraft(next);
  }, []);
  return [draft, set];
}
