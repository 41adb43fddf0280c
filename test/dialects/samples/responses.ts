/** Streams of Responses. */
import { DONE, ERR, type Sample, UNFRAMED, type Verdict } from './sample.ts';

const json = JSON.stringify;

let sequence = 0;
const R = (type: string, more: object = {}): string =>
  `event: ${type}\ndata: ${json({ type, sequence_number: sequence++, ...more })}\n\n`;
const rObject = (status: string, more: object = {}): object => ({
  id: 'resp_7',
  object: 'response',
  created_at: 1_761_000_000,
  status,
  error: null,
  incomplete_details: null,
  model: 'maker-m',
  output: [],
  usage: null,
  ...more,
});
const R_USAGE = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 3 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 27,
};
const CREATED = R('response.created', { response: rObject('in_progress') });
const PROGRESS = R('response.in_progress', { response: rObject('in_progress') });
const ITEM = { id: 'msg_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] };
const ADDED = R('response.output_item.added', { output_index: 0, item: ITEM });
const PART = R('response.content_part.added', {
  item_id: 'msg_1',
  output_index: 0,
  content_index: 0,
  part: { type: 'output_text', text: '', annotations: [] },
});
const TEXT = R('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'Hi' });
const WHOLE_ITEM = { ...ITEM, status: 'completed', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] };
const TEXT_END = [
  R('response.output_text.done', { item_id: 'msg_1', output_index: 0, content_index: 0, text: 'Hi' }),
  R('response.content_part.done', { item_id: 'msg_1', output_index: 0, content_index: 0, part: WHOLE_ITEM.content[0] }),
  R('response.output_item.done', { output_index: 0, item: WHOLE_ITEM }),
];
const completed = (output: unknown[], more: object = {}): string =>
  R('response.completed', { response: rObject('completed', { output, usage: R_USAGE, ...more }) });
const R_OK = completed([WHOLE_ITEM]);
const CALL = { id: 'fc_1', type: 'function_call', status: 'in_progress', call_id: 'call_1', name: 'f', arguments: '' };
const CALL_DONE = { ...CALL, status: 'completed', arguments: '{"a":1}' };
const THOUGHT = { id: 'rs_1', type: 'reasoning', summary: [] };
const THOUGHT_DONE = { ...THOUGHT, encrypted_content: 'ZW5j' };

function responses(
  name: string,
  verdict: Verdict,
  blocks: readonly (string | Buffer)[],
  more: Partial<Sample> = {},
): Sample {
  return { name: `responses: ${name}`, dialect: 'openai-responses', verdict, blocks, ...more };
}

const REFUSAL_ITEM = { ...ITEM, status: 'completed', content: [{ type: 'refusal', refusal: 'No' }] };

export const RESPONSES: readonly Sample[] = [
  responses('plain', 'ok', [CREATED, PROGRESS, ADDED, PART, TEXT, ...TEXT_END, R_OK], { commit: 4, usage: [20, 7, 3] }),
  responses(
    'queued first',
    'ok',
    [CREATED, R('response.queued', { response: rObject('queued') }), PROGRESS, ADDED, PART, TEXT, ...TEXT_END, R_OK],
    { commit: 5 },
  ),
  responses(
    'refusal',
    'ok_refusal',
    [
      CREATED,
      ADDED,
      R('response.content_part.added', {
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        part: { type: 'refusal', refusal: '' },
      }),
      R('response.refusal.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'No' }),
      R('response.refusal.done', { item_id: 'msg_1', output_index: 0, content_index: 0, refusal: 'No' }),
      R('response.content_part.done', {
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        part: REFUSAL_ITEM.content[0],
      }),
      R('response.output_item.done', { output_index: 0, item: REFUSAL_ITEM }),
      completed([REFUSAL_ITEM]),
    ],
    { commit: 3 },
  ),
  responses('flat error first', 'failover', [
    CREATED,
    PROGRESS,
    R('error', { code: 'rate_limit_exceeded', message: 'Rate limit reached. Please try again in 3s.', param: null }),
  ]),
  responses('flat error without its event line', 'failover', [
    CREATED,
    `data: ${json({ type: 'error', code: 'server_error', message: 'x', param: null, sequence_number: 2 })}\n\n`,
  ]),
  responses(
    'flat error later',
    'error_after_commit',
    [CREATED, ADDED, PART, TEXT, R('error', { code: 'server_error', message: 'x', param: null })],
    { commit: 3 },
  ),
  responses('bare error object', 'failover', [`data: ${json(ERR)}\n\n`]),
  responses('failed first', 'failover', [
    CREATED,
    PROGRESS,
    R('response.failed', { response: rObject('failed', { error: { code: 'server_error', message: 'x' } }) }),
  ]),
  responses('error without a frame', 'error_after_commit', [CREATED, ADDED, PART, TEXT, UNFRAMED], { commit: 3 }),
  responses('terminal without output', 'ok', [CREATED, ADDED, PART, TEXT, ...TEXT_END, completed([])], { commit: 3 }),
  responses('incomplete by filter, nothing said', 'ok_content_filter', [
    CREATED,
    R('response.incomplete', {
      response: rObject('incomplete', { incomplete_details: { reason: 'content_filter' }, usage: R_USAGE }),
    }),
  ]),
  responses('completed, nothing said', 'ok_empty', [CREATED, PROGRESS, completed([])]),
  responses(
    'incomplete by length, thought only',
    'ok',
    [
      CREATED,
      R('response.output_item.added', { output_index: 0, item: THOUGHT }),
      R('response.output_item.done', { output_index: 0, item: THOUGHT_DONE }),
      R('response.incomplete', {
        response: rObject('incomplete', {
          incomplete_details: { reason: 'max_output_tokens' },
          output: [THOUGHT_DONE],
          usage: R_USAGE,
        }),
      }),
    ],
    { commit: 2 },
  ),
  responses(
    'call',
    'ok',
    [
      CREATED,
      R('response.output_item.added', { output_index: 0, item: CALL }),
      R('response.function_call_arguments.delta', { item_id: 'fc_1', output_index: 0, delta: '{"a":1}' }),
      R('response.function_call_arguments.done', { item_id: 'fc_1', output_index: 0, arguments: '{"a":1}' }),
      R('response.output_item.done', { output_index: 0, item: CALL_DONE }),
      completed([CALL_DONE]),
    ],
    { commit: 1 },
  ),
  responses(
    'call cut',
    'truncated_after_commit',
    [
      CREATED,
      R('response.output_item.added', { output_index: 0, item: CALL }),
      R('response.function_call_arguments.delta', { item_id: 'fc_1', output_index: 0, delta: '{"a":' }),
    ],
    { commit: 1 },
  ),
  responses(
    'item done without deltas',
    'ok',
    [CREATED, ADDED, R('response.output_item.done', { output_index: 0, item: WHOLE_ITEM }), R_OK],
    { commit: 2 },
  ),
  responses(
    'call done without deltas',
    'ok',
    [
      CREATED,
      R('response.output_item.added', { output_index: 0, item: CALL }),
      R('response.output_item.done', { output_index: 0, item: CALL_DONE }),
      completed([CALL_DONE]),
    ],
    { commit: 1 },
  ),
  responses('all in the terminal', 'ok', [CREATED, R_OK], { commit: 1 }),
  responses(
    'unknown events',
    'ok',
    [CREATED, R('response.mood.changed', { mood: 'x' }), ADDED, PART, TEXT, ...TEXT_END, R('response.note', {}), R_OK],
    { commit: 4 },
  ),
  responses(
    'no event lines',
    'ok',
    [CREATED, ADDED, PART, TEXT, ...TEXT_END, R_OK].map((b) => b.replace(/^event.*\n/, '')),
    { commit: 3 },
  ),
  responses('[DONE] behind', 'ok', [CREATED, ADDED, PART, TEXT, ...TEXT_END, R_OK, DONE], { commit: 3 }),
  responses(
    '[DONE] in place of the terminal',
    'truncated_after_commit',
    [CREATED, ADDED, PART, TEXT, ...TEXT_END, DONE],
    { commit: 3 },
  ),
  responses('cut behind all items', 'truncated_after_commit', [CREATED, ADDED, PART, TEXT, ...TEXT_END], { commit: 3 }),
  responses(
    'cut in the terminal',
    'truncated_after_commit',
    [CREATED, ADDED, PART, TEXT, ...TEXT_END, R_OK.slice(0, -60)],
    { commit: 3 },
  ),
  responses('terminal without blank line', 'ok', [CREATED, ADDED, PART, TEXT, ...TEXT_END, R_OK.trim()], { commit: 3 }),
  responses('cut before content', 'failover', [CREATED, PROGRESS, ADDED, PART]),
  responses(
    'empty deltas',
    'ok',
    [
      CREATED,
      ADDED,
      PART,
      R('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta: '' }),
      TEXT,
      ...TEXT_END,
      R_OK,
    ],
    { commit: 4 },
  ),
  responses(
    'CRLF, BOM, comments',
    'ok',
    [`\uFEFF: x\n${CREATED}`, `: y\n\n${ADDED}`, PART, TEXT, ...TEXT_END, R_OK].map((b) => b.replaceAll('\n', '\r\n')),
  ),
  responses(
    'keep-alive events',
    'ok',
    [
      'event: keepalive\ndata: {"type":"keepalive","sequence_number":0}\n\n',
      'event: ping\ndata: {}\n\n',
      CREATED,
      ADDED,
      PART,
      TEXT,
      ...TEXT_END,
      R_OK,
    ],
    { commit: 5 },
  ),
  responses(
    'sealed thought, then words',
    'ok',
    [
      CREATED,
      R('response.output_item.added', { output_index: 0, item: { ...THOUGHT, encrypted_content: 'ZW5j' } }),
      R('response.output_item.done', { output_index: 0, item: THOUGHT_DONE }),
      ...[ADDED, PART, TEXT, ...TEXT_END].map((b) => b.replace('"output_index":0', '"output_index":1')),
      completed([THOUGHT_DONE, WHOLE_ITEM]),
    ],
    { commit: 1 },
  ),
  responses(
    'glued in one block',
    'truncated_after_commit',
    [CREATED, ADDED, PART, TEXT, `${TEXT.trim()}\n${TEXT_END[0]}`, R_OK],
    { commit: 3 },
  ),
  responses(
    'error behind the terminal',
    'ok',
    [CREATED, ADDED, PART, TEXT, ...TEXT_END, R_OK, R('error', { code: 'x', message: 'x' })],
    { commit: 3 },
  ),
];
