/** What every object of the configuration tells of itself: whose it is, whether it takes part, who changed it last. */
import type { ReactNode } from 'react';
import { Badge } from '../../parts/badge.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Time } from '../../parts/figures.tsx';
import { Stack } from '../../parts/page.tsx';
import { useSay } from '../../words/words.ts';
import styles from './access.module.css';
import { accessWords } from './words.ts';

export interface Managed {
  readonly name: string;
  readonly managed_by: 'file' | 'store';
  readonly version: number;
  readonly updated_at: string | null;
  readonly updated_by: string | null;
  readonly problem: string | null;
}

/** Whether it takes part, in words; `children` say what its kind adds. */
export function StateOf({ object, children }: { readonly object: Managed; readonly children?: ReactNode }) {
  const say = useSay(accessWords);
  const { problem, managed_by: by } = object;
  return (
    <Stack>
      <span className={styles.marks}>
        {children ?? (problem === null && <Badge tone="ok">{say('in_force')}</Badge>)}
        {problem !== null && <Badge tone="bad">{say('problem')}</Badge>}
        {by === 'file' && (
          <Badge tone="off" plain title={say('of_file_why')}>
            {say('of_file')}
          </Badge>
        )}
      </span>
      {problem !== null && <span className={styles.soft}>{problem}</span>}
    </Stack>
  );
}

function Changed({ object }: { readonly object: Managed }) {
  const say = useSay(accessWords);
  if (object.updated_at === null) return <>–</>;
  return (
    <>
      <Time at={object.updated_at} />
      {object.updated_by !== null && (
        <span className={styles.soft}> {say('changed_by', { name: object.updated_by })}</span>
      )}
    </>
  );
}

/** The name, and whose it is. */
export function useNameColumns<Row extends Managed & { readonly workspace?: string | null }>(
  nameOf?: (row: Row) => ReactNode,
): readonly Column<Row>[] {
  const say = useSay(accessWords);
  return [
    { id: 'name', header: say('name'), cell: (row) => nameOf?.(row) ?? row.name, sort: ({ name }) => name },
    {
      id: 'workspace',
      header: say('workspace'),
      cell: ({ workspace }) => workspace ?? say('no_workspace'),
      sort: ({ workspace }) => workspace ?? '',
    },
  ];
}

/** The columns that end each of these tables. */
export function useManagedColumns<Row extends Managed>(state?: (row: Row) => ReactNode): readonly Column<Row>[] {
  const say = useSay(accessWords);
  return [
    {
      id: 'state',
      header: say('state'),
      cell: (row) => <StateOf object={row}>{state?.(row)}</StateOf>,
      sort: (row) => row.problem ?? '',
    },
    {
      id: 'changed',
      header: say('changed'),
      cell: (row) => <Changed object={row} />,
      sort: (row) => row.updated_at,
      wideOnly: true,
    },
  ];
}
