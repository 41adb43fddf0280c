/** The table of one kind of object: found by name, with what can be done to each row. */
import { type ReactNode, useState } from 'react';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { formatNumber } from '../../parts/format.ts';
import { MenuButton } from '../../parts/menu.tsx';
import { Stack } from '../../parts/page.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useLanguage, useSay } from '../../words/words.ts';
import styles from './access.module.css';
import type { Managed } from './managed.tsx';
import type { Objects } from './use-objects.ts';
import { accessWords } from './words.ts';

export interface ObjectTableProps<Row extends Managed> {
  readonly label: string;
  readonly objects: Objects<Row>;
  readonly columns: readonly Column<Row>[];
  /** Items of a row's menu; null = nothing can be done to it here. */
  readonly menu?: (row: Row) => ReactNode;
  readonly link?: (row: Row) => string;
  readonly tone?: (row: Row) => 'bad' | 'warn' | undefined;
  /** Shown while there are none at all. */
  readonly empty: ReactNode;
}

/** Fewer rows are found by eye. */
const SEARCHED_FROM = 8;

export function ObjectTable<Row extends Managed>(props: ObjectTableProps<Row>) {
  const { label, objects, columns, menu, link, tone, empty } = props;
  const say = useSay(accessWords);
  const language = useLanguage();
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const rows = objects.rows?.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <Stack>
      {(objects.rows?.length ?? 0) >= SEARCHED_FROM && (
        <TextField label={say('find')} type="search" value={text} onChange={setText} />
      )}
      <DataTable
        label={label}
        columns={columns}
        rows={rows}
        rowId={({ name }) => name}
        firstSort={{ id: 'name', desc: false }}
        rowTone={(row) => tone?.(row) ?? (row.problem === null ? undefined : 'bad')}
        {...(link === undefined ? {} : { rowLink: link })}
        {...(menu === undefined
          ? {}
          : {
              rowActions: (row: Row) => {
                const items = menu(row);
                return items === null ? null : (
                  <MenuButton label={say('actions', { name: row.name })}>{items}</MenuButton>
                );
              },
            })}
        error={objects.error}
        onRetry={objects.reload}
        empty={wanted === '' ? empty : <Empty title={say('none_found')} />}
      />
      {objects.cut && (
        <p className={styles.soft}>{say('cut', { n: formatNumber(objects.rows?.length ?? 0, language) })}</p>
      )}
    </Stack>
  );
}
