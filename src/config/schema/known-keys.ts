/** Which keys a place in the file may have, read from the schema itself. */
import type * as z from 'zod';
import type { Path } from '../problem.ts';

type Schema = z.core.$ZodType;

/** Looks through optional, default and transform to the schemas that read the input. */
function bare(schema: Schema): Schema[] {
  const def = (schema as z.core.$ZodTypes)._zod.def;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return bare(def.innerType);
    case 'pipe':
      return bare(def.in);
    case 'union':
      return def.options.flatMap(bare);
    default:
      return [schema];
  }
}

function child(schema: Schema, step: string | number): Schema[] {
  const def = (schema as z.core.$ZodTypes)._zod.def;
  if (def.type === 'object') {
    const inner = Object.hasOwn(def.shape, step) ? def.shape[step] : undefined;
    return inner === undefined ? [] : bare(inner);
  }
  if (def.type === 'record') return bare(def.valueType);
  return def.type === 'array' ? bare(def.element) : [];
}

/** Keys of the fixed mappings that may stand at `path`; empty when names are free there. */
export function knownKeys(root: Schema, path: Path): string[] {
  let schemas = bare(root);
  for (const step of path) schemas = schemas.flatMap((schema) => child(schema, step));
  return schemas.flatMap((schema) => {
    const def = (schema as z.core.$ZodTypes)._zod.def;
    return def.type === 'object' ? Object.keys(def.shape) : [];
  });
}
