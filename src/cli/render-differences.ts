/** What an `apply` changes, for people. */
import type { ApplyAnswer, StoreEffect } from '../config/objects/applying.ts';
import type { Difference, FieldChange } from '../config/objects/difference.ts';
import { type Paint, tame } from './paint.ts';

const SIGNS = { added: '+', changed: '~', removed: '-' } as const;
/** Longer values say nothing in one line. */
const LONGEST_VALUE = 60;

/** No lines = nothing changes. */
export function renderDifferences({ changes, store }: ApplyAnswer, paint: Paint): string[] {
  const width = Math.max(0, ...changes.map(({ kind }) => kind.length));
  return [
    ...changes.flatMap((one) => differenceLines(one, width, paint)),
    ...store.map((effect) => paint.note(`! ${storeLine(effect)}`)),
  ];
}

function differenceLines({ change, kind, name, fields }: Difference, width: number, paint: Paint): string[] {
  const colour = { added: paint.good, changed: paint.note, removed: paint.bad }[change];
  const head = `${SIGNS[change]} ${kind.padEnd(width)}  ${tame(name)}`;
  const own = fields.find(({ path }) => path === '');
  const inside = fields.filter(({ path }) => path !== '').map((field) => `    ${tame(field.path)}  ${values(field)}`);
  return [colour(own === undefined ? head : `${head}  ${values(own)}`), ...inside];
}

function values(field: FieldChange): string {
  if (field.secret === true) return 'changed (secret)';
  return `${shown(field.from)} → ${shown(field.to)}`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'not set';
  const text = tame(JSON.stringify(value));
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

function storeLine({ kind, name, effect, reason }: StoreEffect): string {
  const object = `${kind} \`${tame(name)}\` of the store`;
  if (effect === 'hidden') return `${object} waits: the file names one like it`;
  return effect === 'returns' ? `${object} is in force again` : `${object} is set aside: ${tame(reason ?? '')}`;
}
