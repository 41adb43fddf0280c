/** Lists for people: aligned columns, nothing that could steer the terminal. */
import { type Paint, tame } from './paint.ts';

export type Cell = string | number | boolean | null | undefined;

/** `-` for what is not there. */
function text(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-';
  return tame(String(cell));
}

/** Rows under their titles, without a line break at the end. */
export function table(titles: readonly string[], rows: readonly (readonly Cell[])[], paint: Paint): string {
  const cells = rows.map((row) => titles.map((_, at) => text(row[at])));
  const widths = titles.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd();
  return [paint.bold(line(titles)), ...cells.map(line)].join('\n');
}

/** Fields under each other; lists and objects as JSON. */
export function fieldLines(object: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(object).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown
    .map(([name, value]) => {
      const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return `${name.padEnd(width)}  ${tame(plain)}`;
    })
    .join('\n');
}
