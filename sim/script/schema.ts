/** The script's form, strictly: an unknown field is an error, because a misspelt fault would otherwise test nothing. */
import { z } from 'zod';
import { readReadyMade } from '../answer/ready-made.ts';
import type { Script } from './step.ts';

/** Longest pause: a day. A longer one is a slip of units, and Node's timers overflow at 24.8 days. */
const MAX_WAIT_MS = 86_400_000;

const waitMs = z.number().int().min(0).max(MAX_WAIT_MS);
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const chunk = z.union([
  z.string(),
  z.instanceof(Uint8Array),
  z
    .strictObject({
      wait_ms: waitMs.optional(),
      repeat: z.number().int().min(1).max(1_000_000).optional(),
      send: z.string().optional(),
    })
    .refine((pause) => pause.wait_ms !== undefined || pause.send !== undefined, {
      message: 'a chunk object needs wait_ms, or send',
    })
    .refine((pause) => pause.repeat === undefined || pause.send !== undefined, {
      message: 'repeat needs send: what is sent each time',
    }),
]);

const split = z.union([
  z.enum(['every byte', 'each offset 1..len-1']),
  z.number().int().min(1),
  z.array(z.number().int().min(1)),
]);

const random = z
  .record(z.string(), z.number().positive())
  .refine((weights) => Object.keys(weights).length > 0, { message: 'random needs at least one name with a weight' })
  .superRefine((weights, context) => {
    for (const name of Object.keys(weights)) {
      const found = readReadyMade(name);
      const problem =
        typeof found === 'string' ? found : found === null ? `"${name}" is no ready-made model name` : null;
      if (problem !== null) context.addIssue({ code: 'custom', message: problem, path: [name] });
    }
  });

const ANSWER_FIELDS = ['body', 'body_gzip', 'chunks', 'random'] as const;

const step = z
  .strictObject({
    status: z.number().int().min(200).max(599).optional(),
    headers: z
      .record(
        z.string().regex(HEADER_NAME, 'not a header name'),
        z.union([z.string().regex(HEADER_VALUE, 'a header value is one line of Latin-1'), z.number()]),
      )
      .optional(),
    body: z.unknown().optional(),
    body_gzip: z.unknown().optional(),
    chunks: z.array(chunk).optional(),
    random: random.optional(),
    end: z.enum(['clean', 'fin', 'rst', 'hang']).optional(),
    socket: z.enum(['refused', 'accept_then_silence', 'rst_on_reuse_before_response']).optional(),
    delay_ms: waitMs.optional(),
    split: split.optional(),
    times: z.number().int().min(1).optional(),
    before_body: z.boolean().optional(),
  })
  .superRefine((given, context) => {
    const answers = ANSWER_FIELDS.filter((field) => given[field] !== undefined);
    if (answers.length > 1) {
      context.addIssue({ code: 'custom', message: `a step has one answer, not ${answers.join(' and ')}` });
    }
    if (given.random !== undefined && (given.status !== undefined || given.headers !== undefined)) {
      context.addIssue({ code: 'custom', message: 'random brings its own status and headers' });
    }
  });

export const SCRIPT_SCHEMA = z
  .strictObject({
    seed: z.number().int().min(0).max(0xffff_ffff).optional(),
    models: z.record(z.string().min(1), z.array(step).min(1)),
  })
  .superRefine((script, context) => {
    for (const [name, steps] of Object.entries(script.models)) {
      const at = steps.findIndex((one) => one.before_body === true);
      if (at >= 0 && name !== '*') {
        context.addIssue({
          code: 'custom',
          message: 'before_body works only under the model "*": the name of a model is inside the body',
          path: ['models', name, at, 'before_body'],
        });
      }
    }
  });

/** Names a step may use, for messages. */
export const STEP_FIELDS: readonly string[] = [
  'status',
  'headers',
  ...ANSWER_FIELDS,
  'end',
  'socket',
  'delay_ms',
  'split',
  'times',
  'before_body',
];

/** One thing wrong with a script: where (path of keys and indices) and what. */
export interface ScriptIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Validates a parsed value. Never throws: problems are values. */
export function checkScript(value: unknown): { readonly script: Script } | { readonly issues: readonly ScriptIssue[] } {
  const result = SCRIPT_SCHEMA.safeParse(value);
  if (result.success) return { script: result.data };
  return { issues: result.error.issues.flatMap(readIssue) };
}

function readIssue(issue: z.core.$ZodIssue): ScriptIssue[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys') {
    const known = path[0] === 'models' && path.length >= 3 ? STEP_FIELDS.join(', ') : 'seed, models';
    const hint = path.includes('chunks') ? 'wait_ms, repeat, send' : known;
    return issue.keys.map((key) => ({ path: [...path, key], message: `unknown field "${key}" (known: ${hint})` }));
  }
  if (issue.code === 'invalid_union') {
    const deepest = issue.errors.flat().sort((a, b) => b.path.length - a.path.length);
    const custom = deepest.find((one) => one.code === 'custom' || one.code === 'unrecognized_keys');
    if (custom !== undefined) return readIssue({ ...custom, path: [...issue.path, ...custom.path] });
  }
  if (issue.code === 'invalid_key') return [{ path, message: issue.issues[0]?.message ?? issue.message }];
  return [{ path, message: issue.message }];
}
