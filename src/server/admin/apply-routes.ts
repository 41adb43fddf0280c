/** A whole configuration over HTTP: what it would change, and its putting in force (`understudy apply`). */
import * as z from 'zod';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { arrayOf, FLAG, object, schemaRef, TEXT, TEXT_OR_NULL, TEXTS } from './openapi-parts.ts';

const must = (what: string) => ({ error: () => `must be ${what}` });

const APPLY_BODY = z.strictObject({
  text: z
    .string(must('the text of a configuration'))
    .describe('The configuration file. References to the environment are filled in from that of the gateway.'),
  name: z
    .string(must('a text'))
    .max(1024, must('at most 1024 characters'))
    .describe('Its name, for messages.')
    .optional(),
  dry_run: z.boolean(must('true or false')).describe('Only tell the differences. Default true.').optional(),
  base: z
    .string(must('the `base` of an earlier answer'))
    .describe('The `base` of an earlier answer: 409 when another configuration is in force by now.')
    .optional(),
});

/** As large as a file may be, and its quotes and line breaks as JSON writes them. */
const MAX_CONFIGURATION_BYTES = 24 * 1024 * 1024;

export const APPLY_SCHEMAS: Readonly<Record<string, object>> = {
  Applied: object({
    applied: { ...FLAG, description: 'False for a dry run.' },
    base: { ...TEXT, description: 'Mark of the configuration the differences are counted from.' },
    changes: arrayOf('Difference'),
    store: arrayOf('StoreEffect'),
    notes: { ...TEXTS, description: 'What an operator should know.' },
  }),
  Difference: object({
    change: { enum: ['added', 'changed', 'removed'] },
    kind: { enum: ['provider', 'credential', 'model', 'alias', 'workspace', 'key', 'member', 'webhook', 'setting'] },
    name: TEXT,
    fields: {
      type: 'array',
      description: 'What changes in it; empty for what is added or removed as a whole.',
      items: object({ path: TEXT }, { from: {}, to: {}, secret: { const: true } }),
    },
  }),
  StoreEffect: object({
    kind: { enum: ['workspace', 'key', 'credential', 'member', 'webhook'] },
    name: TEXT,
    effect: {
      enum: ['hidden', 'set_aside', 'returns'],
      description: 'What happens to an object of the store: the file names one like it; it no longer fits; it is back.',
    },
    reason: TEXT_OR_NULL,
  }),
};

export function applyRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'POST',
      path: '/v1/apply',
      summary: 'Brings the gateway to what a configuration says, or tells what that would change.',
      needs: 'configuration.change',
      parameters: [],
      body: APPLY_BODY,
      maxBodyBytes: MAX_CONFIGURATION_BYTES,
      answer: schemaRef('Applied'),
      audit: 'in_change',
      handle: (call) => apply(deps, call),
    },
  ];
}

function apply({ applier }: AdminDeps, { body, caller, origin }: AdminCall): Promise<object> {
  const { text, name = 'configuration', dry_run: dryRun = true, base = null } = APPLY_BODY.parse(body);
  return applier.apply({ text, name, dryRun, base, by: caller.name, call: origin });
}
