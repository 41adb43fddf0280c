/** The rows of one list of the catalogue: sorted, and names of the same model together. */
import { mergeFacts, mergePrice } from './merge.mjs';

/** A snapshot's name ends in its day. */
const DATED = /-(?:\d{4}-\d{2}-\d{2}|\d{8})$/;
/** What a name may be made of; anything else is a label, not a name. */
const NAME = /^[\x21-\x7e]*[A-Za-z0-9)]$/;

/** `md`: models by id; `gp`: `{names, of}`, or null. */
export function rowsOf({ md, gp }) {
  const ids = [...new Set([...md.keys(), ...(gp?.names ?? [])])].filter((id) => NAME.test(id)).sort();
  const rows = ids.map((id) => rowOf(id, { md, gp })).filter((row) => Object.keys(row).length > 1);
  return together(rows);
}

function rowOf(id, { md, gp }) {
  const stated = md.get(id) ?? md.get(id.replace(DATED, '')) ?? null;
  const priced = gp?.of(id) ?? null;
  const price = mergePrice(id, { gp: priced, md: stated });
  return { id, ...mergeFacts(id, { gp: priced, md: stated }), ...(price === null ? {} : { price }) };
}

/** A dated name of which nothing else is known than of the plain one becomes one of its names. */
function together(rows) {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const kept = [];
  for (const row of rows) {
    const plain = DATED.test(row.id) ? byId.get(row.id.replace(DATED, '')) : undefined;
    if (plain !== undefined && sameFacts(plain, row)) plain.aka = [...(plain.aka ?? []), row.id];
    else kept.push(row);
  }
  return kept.map(({ id, aka, ...facts }) => ({ id, ...(aka === undefined ? {} : { aka }), ...facts }));
}

function sameFacts({ id: _a, aka: _b, ...plain }, { id: _c, ...dated }) {
  return JSON.stringify(plain) === JSON.stringify(dated);
}
