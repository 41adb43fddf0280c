/** Filters of a page, kept in its address: a copied address shows the same. */
import { type ReactNode, useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useWords } from '../words/words.ts';
import { queryNow } from './address.ts';
import { Button } from './button.tsx';
import styles from './filters.module.css';

export interface Filters<Name extends string> {
  /** What the address says; empty = not filtered by it. */
  readonly values: Readonly<Record<Name, string>>;
  /** Sets some of them; empty takes one away. */
  set(changes: Partial<Record<Name, string>>): void;
  clear(): void;
  /** Whether any is set. */
  readonly any: boolean;
}

/** The filters of these names, in the address's query. `names` must be a constant. */
export function useFilters<Name extends string>(names: readonly Name[]): Filters<Name> {
  const [params, setParams] = useSearchParams();
  const values = useMemo(
    () => Object.fromEntries(names.map((name) => [name, params.get(name) ?? ''])) as Record<Name, string>,
    [names, params],
  );
  const set = useCallback(
    (changes: Partial<Record<Name, string>>) => {
      const next = queryNow();
      for (const [name, value] of Object.entries<string | undefined>(changes)) {
        if (value === undefined || value === '') next.delete(name);
        else next.set(name, value);
      }
      setParams(next, { replace: true });
    },
    [setParams],
  );
  const clear = useCallback(
    () => set(Object.fromEntries(names.map((name) => [name, ''])) as Record<Name, string>),
    [set, names],
  );
  return { values, set, clear, any: names.some((name) => values[name] !== '') };
}

export interface FilterBarProps {
  /** Fields, each of which shows and sets one filter. */
  readonly children: ReactNode;
  /** Absent or undefined: nothing to clear. */
  readonly onClear?: (() => void) | undefined;
  /** At the end: export, live. */
  readonly actions?: ReactNode;
}

/** The row of filters under a page's heading. */
export function FilterBar({ children, onClear, actions }: FilterBarProps) {
  const say = useWords();
  return (
    <search className={styles.bar} aria-label={say('filters.label')}>
      <div className={styles.fields}>{children}</div>
      <div className={styles.actions}>
        {onClear && (
          <Button kind="quiet" onPress={onClear}>
            {say('do.clear')}
          </Button>
        )}
        {actions}
      </div>
    </search>
  );
}
