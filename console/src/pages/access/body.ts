/** Bodies of calls that make and change objects, from all fields of a form. */

/** For a new object: without what is not said. */
export function said<Body extends object>(body: Body): { [Field in keyof Body]?: Exclude<Body[Field], undefined> } {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as {
    [Field in keyof Body]?: Exclude<Body[Field], undefined>;
  };
}

/** For one that is there: what differs from before; what is not said any more is taken away. */
export function patchOf<Body extends object>(
  body: Body,
  before: Body,
): { [Field in keyof Body]?: Exclude<Body[Field], undefined> | null } {
  const old = new Map<string, unknown>(Object.entries(before));
  const same = (field: string, value: unknown) => JSON.stringify(old.get(field)) === JSON.stringify(value);
  const changed = Object.entries(body).filter(([field, value]) => !same(field, value));
  return Object.fromEntries(changed.map(([field, value]) => [field, value ?? null])) as {
    [Field in keyof Body]?: Exclude<Body[Field], undefined> | null;
  };
}
