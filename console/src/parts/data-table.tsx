/** A table of rows: sorted by its heads, a link per row, cards where it is narrow, more rows by a button. */
import {
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type ReactNode, useMemo, useState } from 'react';
import { Link, type To } from 'react-router';
import { useWords } from '../words/words.ts';
import { Button } from './button.tsx';
import styles from './data-table.module.css';
import { Empty } from './empty.tsx';
import { ErrorBox } from './error-box.tsx';
import { Skeleton } from './skeleton.tsx';
import { SortButton } from './sort-button.tsx';

/** What a column sorts by; null sorts last. */
export type SortValue = string | number | boolean | null | undefined;

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** With it the head sorts. Only for tables whose rows are all here. */
  readonly sort?: (row: Row) => SortValue;
  /** Figures stand at the end, under each other. */
  readonly align?: 'start' | 'end';
  /** Keeps its text in one line. */
  readonly tight?: boolean;
  /** Not among the lines of a card. */
  readonly wideOnly?: boolean;
}

export interface DataTableProps<Row> {
  /** What the table lists, for who cannot see where it stands. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while they are still coming. */
  readonly rows: readonly Row[] | undefined;
  readonly rowId: (row: Row) => string;
  /** Where a row leads; its first cell is the link. */
  readonly rowLink?: (row: Row) => To;
  /** Buttons at the end of a row. */
  readonly rowActions?: (row: Row) => ReactNode;
  /** Marks rows that need eyes. */
  readonly rowTone?: (row: Row) => 'bad' | 'warn' | 'cover' | undefined;
  readonly firstSort?: { readonly id: string; readonly desc: boolean };
  readonly error?: unknown;
  readonly onRetry?: () => void;
  /** Shown when there are no rows. */
  readonly empty?: ReactNode;
  /** There are more rows than these: asks for them. */
  readonly onMore?: (() => void) | undefined;
  readonly loadingMore?: boolean;
}

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
const NO_ROWS: readonly never[] = [];

function compare(a: SortValue, b: SortValue): number {
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b, undefined, { numeric: true });
  return Number(a) - Number(b);
}

export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowId, rowLink, rowActions, rowTone, error, onRetry, empty, onMore } = props;
  const say = useWords();
  const [sorting, setSorting] = useState<SortingState>(props.firstSort ? [{ ...props.firstSort }] : []);
  const defs = useMemo(
    () =>
      columns.map(({ id, header, sort }) => ({
        id,
        header,
        // Undefined is sorted last, whichever the direction.
        accessorFn: (row: Row) => sort?.(row) ?? undefined,
        enableSorting: sort !== undefined,
        sortUndefined: 'last' as const,
        sortFn: (a: { getValue(id: string): unknown }, b: { getValue(id: string): unknown }, by: string) =>
          compare(a.getValue(by) as SortValue, b.getValue(by) as SortValue),
      })),
    [columns],
  );
  const table = useTable({
    features,
    columns: defs,
    data: (rows ?? NO_ROWS) as Row[],
    getRowId: rowId,
    state: { sorting },
    onSortingChange: setSorting,
    enableSortingRemoval: false,
  });

  if (error !== null && error !== undefined && rows === undefined) {
    return <ErrorBox error={error} {...(onRetry ? { onRetry } : {})} />;
  }
  if (rows === undefined) return <Skeleton lines={8} />;
  if (rows.length === 0) return <>{empty ?? <Empty title={say('state.empty')} />}</>;
  return (
    <div className={styles.wrap}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={`${label}. ${say('table.scroll')}`}>
        <table className={styles.table} aria-label={label} data-links={rowLink !== undefined}>
          <thead>
            <tr>
              {columns.map((column) => {
                const sorted = sorting.find(({ id }) => id === column.id);
                const direction = sorted === undefined ? 'none' : sorted.desc ? 'descending' : 'ascending';
                return (
                  <th
                    key={column.id}
                    scope="col"
                    data-align={column.align}
                    {...(column.sort ? { 'aria-sort': direction } : {})}
                  >
                    {column.sort ? (
                      <SortButton
                        column={column.header}
                        direction={direction}
                        onPress={() => table.getColumn(column.id)?.toggleSorting(direction === 'ascending')}
                      />
                    ) : (
                      column.header
                    )}
                  </th>
                );
              })}
              {rowActions && (
                <th scope="col">
                  <span className={styles.unseen}>{say('do.menu')}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {table.getRowModel().rows.map(({ id, original: row }) => (
              <tr key={id} data-tone={rowTone?.(row)}>
                {columns.map((column, index) => (
                  <td
                    key={column.id}
                    data-label={column.header}
                    data-align={column.align}
                    data-tight={column.tight}
                    data-wide-only={column.wideOnly}
                  >
                    {index === 0 && rowLink ? (
                      <Link className={styles.link} to={rowLink(row)}>
                        {column.cell(row)}
                      </Link>
                    ) : (
                      column.cell(row)
                    )}
                  </td>
                ))}
                {rowActions && <td className={styles.actions}>{rowActions(row)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {onMore && (
        <div className={styles.more}>
          <Button onPress={onMore} isPending={props.loadingMore ?? false}>
            {say('do.more')}
          </Button>
        </div>
      )}
      {error !== null && error !== undefined && <ErrorBox error={error} {...(onRetry ? { onRetry } : {})} />}
    </div>
  );
}
