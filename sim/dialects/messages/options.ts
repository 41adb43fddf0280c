/** The smaller options of a request, each within its limits. */
import type { Fields } from '../../answer/fields.ts';
import { checkCacheMark } from './blocks.ts';
import {
  fieldsAt,
  inside,
  listAt,
  objectAt,
  optionalFlag,
  optionalNumber,
  optionalWord,
  refuse,
  textAt,
} from './refused.ts';
import { checkClosed } from './tools.ts';

const FIELDS = [
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
  'speed',
];
const ANSWER_FIELDS = [
  'max_tokens',
  'stop_sequences',
  'stream',
  'metadata',
  'service_tier',
  'container',
  'inference_geo',
  'diagnostics',
  'temperature',
  'top_p',
  'top_k',
];
/** Taken only from those who name a beta. */
const BETA_FIELDS = [
  'mcp_servers',
  'context_management',
  'fallbacks',
  'thread',
  'compaction',
  'billing_policy',
  'output_format',
];
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];
const SAMPLING = ['temperature', 'top_p', 'top_k'];

/** No field but the API's; `countOnly` = the count of tokens, which takes nothing about the answer. */
export function checkFieldNames(body: Fields, countOnly: boolean, beta: boolean): void {
  const known = [...FIELDS, ...(countOnly ? [] : ANSWER_FIELDS), ...(beta ? BETA_FIELDS : [])];
  fieldsAt(body, '', known, ['model', 'messages', ...(countOnly ? [] : ['max_tokens'])]);
}

/** `modern`: sampling is refused, even at its defaults. Throws RefusedRequest. */
export function checkSampling(body: Fields, modern: boolean): void {
  for (const name of SAMPLING) {
    if (modern && body[name] !== undefined && body[name] !== null) {
      refuse('', `\`${name}\` is not supported with this API version or model.`);
    }
  }
  optionalNumber(body['temperature'], 'temperature', 0, 1);
  optionalNumber(body['top_p'], 'top_p', 0, 1);
  optionalNumber(body['top_k'], 'top_k', 0, Number.MAX_SAFE_INTEGER);
}

export function checkMisc(body: Fields): void {
  optionalFlag(body['stream'], 'stream');
  checkCacheMark(body['cache_control'], 'cache_control');
  optionalWord(body['service_tier'], 'service_tier', ['auto', 'standard_only']);
  optionalWord(body['speed'], 'speed', ['standard', 'fast']);
  const metadata = body['metadata'];
  if (metadata !== undefined && metadata !== null) {
    const { user_id: user } = fieldsAt(metadata, 'metadata', ['user_id'], []);
    if (user !== undefined && user !== null) textAt(user, 'metadata.user_id');
  }
}

/** Texts at which the answer ends. Throws RefusedRequest. */
export function readStops(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return listAt(value, 'stop_sequences').map((stop, i) => {
    const text = textAt(stop, inside('stop_sequences', i));
    if (text.trim() === '') refuse('stop_sequences', 'each stop sequence must contain non-whitespace');
    return text;
  });
}

/** The schema an answer must fit; null = words. Throws RefusedRequest. */
export function readOutputSchema(body: Fields): unknown {
  const config = body['output_config'];
  if (config === undefined || config === null) return schemaIn(body['output_format'], 'output_format');
  const fields = fieldsAt(config, 'output_config', ['effort', 'format', 'task_budget'], []);
  optionalWord(fields['effort'], 'output_config.effort', EFFORTS);
  return schemaIn(fields['format'], 'output_config.format');
}

function schemaIn(value: unknown, path: string): unknown {
  if (value === undefined || value === null) return null;
  const fields = fieldsAt(value, path, ['type', 'schema'], ['type', 'schema']);
  optionalWord(fields['type'], inside(path, 'type'), ['json_schema']);
  const schema = objectAt(fields['schema'], inside(path, 'schema'));
  checkClosed(schema, inside(path, 'schema'));
  return schema;
}
