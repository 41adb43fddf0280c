/**
 * Functions in namespaces, which only this dialect has: elsewhere a function's name holds its namespace, and calls of it
 * get it back.
 */
import { type BodyView, readString } from '../bytes/body-view.ts';
import { objectsIn } from '../bytes/nested.ts';

const BETWEEN = '__';

/** A function's name as other dialects have it. `namespace` null = it stands in none. */
export function fullName(namespace: string | null | undefined, name: string): string {
  return namespace == null || namespace === '' ? name : `${namespace}${BETWEEN}${name}`;
}

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** The functions of a request's namespaces, by their full names. */
export function namespacedTools(view: BodyView): ReadonlyMap<string, NamespacedName> {
  const tools = new Map<string, NamespacedName>();
  for (const tool of objectsIn(view, 'tools')) {
    if (readString(tool, 'type') !== 'namespace') continue;
    const namespace = readString(tool, 'name') ?? '';
    for (const inner of objectsIn(tool, 'tools')) {
      const name = readString(inner, 'name') ?? '';
      tools.set(fullName(namespace, name), { namespace, name });
    }
  }
  return tools;
}
