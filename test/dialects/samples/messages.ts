/** Streams of Messages. */
import { DONE, type Sample, type Verdict } from './sample.ts';

const json = JSON.stringify;

function named(data: { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${json(data)}\n\n`;
}
const M_USAGE = { input_tokens: 10, cache_creation_input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 1 };
const M_START = named({
  type: 'message_start',
  message: {
    id: 'msg_7',
    type: 'message',
    role: 'assistant',
    model: 'maker-m',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: M_USAGE,
  },
} as never);
const start = (index: number, block: object): string =>
  named({ type: 'content_block_start', index, content_block: block } as never);
const delta = (index: number, inner: object): string =>
  named({ type: 'content_block_delta', index, delta: inner } as never);
const stopped = (index: number): string => named({ type: 'content_block_stop', index } as never);
const finished = (reason: string | null, usage: object | null = { output_tokens: 9 }, more: object = {}): string =>
  named({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null, ...more },
    ...(usage === null ? {} : { usage }),
  } as never);
const M_STOP = named({ type: 'message_stop' });
const T0 = start(0, { type: 'text', text: '' });
const D0 = delta(0, { type: 'text_delta', text: 'Hi' });
const S0 = stopped(0);
const PING = named({ type: 'ping' });
const M_ERR = named({
  type: 'error',
  error: { type: 'overloaded_error', message: 'Overloaded' },
  request_id: 'req_9',
} as never);

function messages(
  name: string,
  verdict: Verdict,
  blocks: readonly (string | Buffer)[],
  more: Partial<Sample> = {},
): Sample {
  return { name: `messages: ${name}`, dialect: 'anthropic', verdict, blocks, ...more };
}

export const MESSAGES: readonly Sample[] = [
  messages('plain', 'ok', [M_START, PING, T0, D0, S0, finished('end_turn'), M_STOP], { commit: 3, usage: [15, 9, 3] }),
  messages('error behind message_start', 'failover', [M_START, M_ERR]),
  messages('error behind an empty block', 'failover', [M_START, PING, T0, M_ERR]),
  messages('error with the finish gone', 'error_after_commit', [M_START, T0, D0, S0, M_ERR], { commit: 2 }),
  messages('error behind the finish', 'error_after_commit', [M_START, T0, D0, S0, finished('end_turn'), M_ERR], {
    commit: 2,
  }),
  messages('error without its event line', 'failover', [
    `data: ${json({ type: 'error', error: { type: 'api_error', message: 'x' } })}\n\n`,
  ]),
  messages(
    'error without a frame',
    'error_after_commit',
    [M_START, T0, D0, json({ type: 'error', error: { type: 'api_error', message: 'x' } })],
    { commit: 2 },
  ),
  messages('error of another make', 'failover', [
    M_START,
    `data: ${json({ error: { message: 'boom', code: 500 } })}\n\n`,
  ]),
  messages('finish without message_stop', 'ok_unterminated', [M_START, T0, D0, S0, finished('end_turn')], {
    commit: 2,
  }),
  messages(
    'finish without message_stop, then [DONE]',
    'ok_unterminated',
    [M_START, T0, D0, S0, finished('end_turn'), DONE],
    { commit: 2 },
  ),
  messages('cut before the finish', 'truncated_after_commit', [M_START, T0, D0, S0], { commit: 2 }),
  messages('cut, but stopped', 'truncated_after_commit', [M_START, T0, D0, S0, M_STOP], { commit: 2 }),
  messages('finish with a block open', 'truncated_after_commit', [M_START, T0, D0, finished('end_turn'), M_STOP], {
    commit: 2,
  }),
  messages(
    'unknown event',
    'ok',
    [
      M_START,
      named({ type: 'server_note', note: 'x' } as never),
      T0,
      D0,
      named({ type: 'content_block_note', index: 0 } as never),
      S0,
      finished('end_turn'),
      M_STOP,
    ],
    { commit: 3 },
  ),
  messages(
    'unknown delta is nothing',
    'ok',
    [M_START, T0, delta(0, { type: 'mood_delta', mood: 'x' }), D0, S0, finished('end_turn'), M_STOP],
    { commit: 3 },
  ),
  messages(
    'signature and nothing else',
    'ok',
    [
      M_START,
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'signature_delta', signature: 'c2ln' }),
      S0,
      start(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'x' }),
      stopped(1),
      finished('end_turn'),
      M_STOP,
    ],
    { commit: 2 },
  ),
  messages(
    'redacted thought',
    'ok',
    [
      M_START,
      start(0, { type: 'redacted_thinking', data: 'ZGF0YQ==' }),
      S0,
      start(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'x' }),
      stopped(1),
      finished('end_turn'),
      M_STOP,
    ],
    { commit: 1 },
  ),
  messages(
    'call alone',
    'ok',
    [
      M_START,
      start(0, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '' }),
      delta(0, { type: 'input_json_delta', partial_json: '{"a":1}' }),
      S0,
      finished('tool_use'),
      M_STOP,
    ],
    { commit: 1 },
  ),
  messages(
    'call without arguments',
    'ok',
    [M_START, start(0, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }), S0, finished('tool_use'), M_STOP],
    { commit: 1 },
  ),
  messages(
    'call cut',
    'truncated_after_commit',
    [
      M_START,
      start(0, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '{"a":"' }),
    ],
    { commit: 1 },
  ),
  messages(
    'empty deltas',
    'ok',
    [M_START, T0, delta(0, { type: 'text_delta', text: '' }), D0, S0, finished('end_turn'), M_STOP],
    { commit: 3 },
  ),
  messages(
    'words in the block start',
    'ok',
    [M_START, start(0, { type: 'text', text: 'Hi' }), S0, finished('end_turn'), M_STOP],
    { commit: 1 },
  ),
  messages('refusal behind words', 'ok', [M_START, T0, D0, S0, finished('refusal'), M_STOP], { commit: 2 }),
  messages('nothing said', 'ok_empty', [M_START, finished('end_turn'), M_STOP]),
  messages('nothing in the block', 'ok_empty', [M_START, T0, S0, finished('end_turn'), M_STOP]),
  messages(
    'counts told twice',
    'ok',
    [
      M_START,
      T0,
      D0,
      S0,
      finished(null, { output_tokens: 4 }),
      finished('max_tokens', {
        input_tokens: 11,
        cache_creation_input_tokens: 2,
        cache_read_input_tokens: 3,
        output_tokens: 9,
      }),
      M_STOP,
    ],
    { commit: 2, usage: [16, 9, 3] },
  ),
  messages('counts missing at the finish', 'ok', [M_START, T0, D0, S0, finished('end_turn', null), M_STOP], {
    commit: 2,
  }),
  messages('message_start twice, first', 'failover', [M_START, M_START, T0, D0, S0, finished('end_turn'), M_STOP]),
  messages(
    'message_start twice, later',
    'truncated_after_commit',
    [M_START, T0, D0, M_START, T0, D0, S0, finished('end_turn'), M_STOP],
    { commit: 2 },
  ),
  messages(
    'indexes with a gap',
    'truncated_after_commit',
    [
      M_START,
      T0,
      D0,
      S0,
      start(2, { type: 'text', text: '' }),
      delta(2, { type: 'text_delta', text: 'x' }),
      stopped(2),
      finished('end_turn'),
      M_STOP,
    ],
    { commit: 2 },
  ),
  messages(
    'index missing',
    'failover',
    [
      M_START,
      named({ type: 'content_block_start', content_block: { type: 'text', text: '' } } as never),
      named({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi' } } as never),
      named({ type: 'content_block_stop' }),
      finished('end_turn'),
      M_STOP,
    ],
    { commit: null },
  ),
  messages(
    'CRLF',
    'ok',
    [M_START, T0, D0, S0, finished('end_turn'), M_STOP].map((b) => b.replaceAll('\n', '\r\n')),
  ),
  messages(
    'CR',
    'ok',
    [M_START, T0, D0, S0, finished('end_turn'), M_STOP].map((b) => b.replaceAll('\n', '\r')),
    { commit: 2 },
  ),
  messages(
    'comments, BOM, no event lines',
    'ok',
    [
      `\uFEFF: hi\n${M_START}`,
      T0.replace(/^event.*\n/, ': c\n'),
      D0.replace(/^event.*\n/, ''),
      S0,
      finished('end_turn'),
      M_STOP,
    ],
    { commit: 2 },
  ),
  messages('[DONE] behind', 'ok', [M_START, T0, D0, S0, finished('end_turn'), M_STOP, DONE], { commit: 2 }),
  messages('no message_start', 'failover', [T0, D0, S0, finished('end_turn'), M_STOP]),
  messages('stop without blank line', 'ok', [M_START, T0, D0, S0, finished('end_turn'), M_STOP.trim()], { commit: 2 }),
  messages(
    'pauses',
    'ok',
    [
      M_START,
      start(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
      S0,
      finished('pause_turn'),
      M_STOP,
    ],
    { commit: 1, crossed: 'ok_empty' },
  ),
  messages(
    'citation first',
    'ok',
    [
      M_START,
      T0,
      delta(0, { type: 'citations_delta', citation: { type: 'char_location', cited_text: 'x', document_index: 0 } }),
      D0,
      S0,
      finished('end_turn'),
      M_STOP,
    ],
    { commit: 2 },
  ),
  messages('context window full', 'ok', [M_START, T0, D0, S0, finished('model_context_window_exceeded'), M_STOP], {
    commit: 2,
  }),
  messages(
    'glued in one block',
    'truncated_after_commit',
    [M_START, T0, D0, `${D0.trim()}\n${S0}`, finished('end_turn'), M_STOP],
    { commit: 2 },
  ),
];
