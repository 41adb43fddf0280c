/** Bodies of admin calls: one JSON object, checked strictly; what is wrong is named by its field. */
import * as z from 'zod';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import { nearestName } from '../../core/nearest-name.ts';
import { badParameter } from './bad-parameter.ts';

export type JsonObject = Readonly<Record<string, unknown>>;
export type BodySchema = z.ZodObject;

/** Larger bodies are 413: a workspace with preferences for thousands of channels fits. */
export const MAX_BODY_BYTES = 1_048_576;

/** Throws `ClientError`: 415, 400 `invalid_json`, or 400 naming the field. Gives out what was sent, without defaults. */
export function readJsonBody(schema: BodySchema, bytes: Uint8Array, contentType: string | undefined): JsonObject {
  // Another type is what a form of a foreign page could send without asking.
  if (contentType !== undefined && !/^\s*application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) {
    const message = 'Send the body as JSON, with `Content-Type: application/json`.';
    throw new ClientError(gatewayError('unsupported_media_type', message));
  }
  const body = parse(bytes);
  checkBody(schema, body);
  return body;
}

/** Throws `ClientError` 400 for the first thing that is wrong. */
export function checkBody(schema: BodySchema, body: JsonObject): void {
  const result = schema.safeParse(body);
  if (result.success) return;
  throw complaint(schema, body, result.error.issues[0]!);
}

function parse(bytes: Uint8Array): JsonObject {
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = JSON.parse(text, (key, part: unknown) => {
      // An own member of this name would be taken for the prototype by whoever copies it.
      if (key === '__proto__') throw new SyntaxError('a field may not be named __proto__');
      return part;
    });
  } catch {
    throw new ClientError(gatewayError('invalid_json', 'The body is not valid JSON.'));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new ClientError(gatewayError('invalid_json', 'The body must be one JSON object.'));
}

function complaint(schema: BodySchema, body: JsonObject, first: z.core.$ZodIssue): ClientError {
  const issue = within(first);
  const at = (more: readonly PropertyKey[] = []): string =>
    [...issue.path, ...more].map(String).join('.').slice(0, 256);
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const nearest = issue.path.length === 0 ? nearestName(key, fieldsOf(schema)) : null;
    return badParameter(at([key]), `is unknown${nearest === null ? '' : `; did you mean \`${nearest}\`?`}`);
  }
  const field = at();
  if (field === '') return new ClientError(gatewayError('invalid_parameter', `The body ${issue.message}.`));
  if (valueAt(body, issue.path) !== undefined) return badParameter(field, issue.message);
  const message = `The parameter \`${field}\` is required; it ${issue.message}.`;
  return new ClientError(gatewayError('missing_required_parameter', message, { param: field }));
}

/**
 * Of a field that may be one thing or another, what is wrong with it as the one it is nearest to: one in which something is wrong,
 * then one of that kind, then the first.
 */
function within(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  const complaints = issue.code === 'invalid_union' ? issue.errors.flatMap(([first]) => first ?? []) : [];
  const nearness = ({ path, code }: z.core.$ZodIssue) => 2 * path.length + (code === 'invalid_type' ? 0 : 1);
  const nearest = Math.max(...complaints.map(nearness));
  const inner = complaints.find((one) => nearness(one) === nearest);
  return inner === undefined ? issue : { ...inner, path: [...issue.path, ...inner.path] };
}

function fieldsOf(schema: BodySchema): string[] {
  return Object.keys(schema.shape);
}

function valueAt(body: JsonObject, path: readonly PropertyKey[]): unknown {
  let value: unknown = body;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

/** The JSON Schema of a body, for the API's description. */
export function bodyJsonSchema(schema: BodySchema): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
