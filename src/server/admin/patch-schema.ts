/** Schemas of partial changes, from those of whole objects. */
import * as z from 'zod';

/**
 * Any of an object's fields, or null to take one away. What the merged object must be is checked afterwards, so that a
 * field that needs another is judged together with it.
 */
export function patchSchema(whole: z.ZodObject): z.ZodObject {
  const fields = Object.entries(whole.shape).map(([name, field]) => {
    const either = z.union([field as z.ZodType, z.null()]).optional();
    const { description } = field as z.ZodType;
    return [name, description === undefined ? either : either.describe(description)] as const;
  });
  return z.strictObject(Object.fromEntries(fields));
}
