/** Streams of Chat Completions. */
import { DONE, ERR, type Sample, UNFRAMED, type Verdict } from './sample.ts';

const json = JSON.stringify;
const CHAT_HEAD = { id: 'chatcmpl-B7', object: 'chat.completion.chunk', created: 1_761_000_000, model: 'maker-m' };

function chunk(delta: unknown, finish: string | null = null, more: object = {}): string {
  return `data: ${json({ ...CHAT_HEAD, choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`;
}
function choices(list: readonly unknown[], more: object = {}): string {
  return `data: ${json({ ...CHAT_HEAD, choices: list, ...more })}\n\n`;
}
const ROLE = chunk({ role: 'assistant', content: '' });
const HI = chunk({ content: 'Hi' });
const STOP = chunk({}, 'stop');
const COUNTS = {
  prompt_tokens: 20,
  completion_tokens: 7,
  total_tokens: 27,
  prompt_tokens_details: { cached_tokens: 3 },
};

function chat(
  name: string,
  verdict: Verdict,
  blocks: readonly (string | Buffer)[],
  more: Partial<Sample> = {},
): Sample {
  return { name: `chat: ${name}`, dialect: 'openai-chat', verdict, blocks, ...more };
}

export const CHAT: readonly Sample[] = [
  chat('[DONE] without its blank line', 'ok', [ROLE, HI, STOP, 'data: [DONE]'], { commit: 1 }),
  chat('[DONE] with one line end', 'ok', [ROLE, HI, STOP, 'data:[DONE]\r\n'], { commit: 1 }),
  chat('object error first', 'failover', [
    `data: ${json({ object: 'error', message: 'engine is dead', type: 'InternalServerError', param: null, code: 500 })}\n\n`,
    DONE,
  ]),
  chat(
    'object error in the middle',
    'error_after_commit',
    [ROLE, HI, `data: ${json({ object: 'error', message: 'x', code: 400 })}\n\n`, DONE],
    { commit: 1 },
  ),
  chat(
    'two choices interleaved',
    'ok',
    [
      choices([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
      choices([{ index: 1, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
      choices([{ index: 1, delta: { content: 'B' }, finish_reason: null }]),
      choices([{ index: 0, delta: { content: 'A' }, finish_reason: null }]),
      choices([{ index: 1, delta: {}, finish_reason: 'stop' }]),
      choices([{ index: 0, delta: {}, finish_reason: 'length' }]),
      DONE,
    ],
    { commit: 2, n: 2 },
  ),
  chat(
    'two choices in one chunk',
    'ok',
    [
      choices([
        { index: 0, delta: { content: 'A' }, finish_reason: null },
        { index: 1, delta: { content: 'B' }, finish_reason: null },
      ]),
      choices([
        { index: 0, delta: {}, finish_reason: 'stop' },
        { index: 1, delta: {}, finish_reason: 'stop' },
      ]),
      DONE,
    ],
    { commit: 0, n: 2 },
  ),
  chat(
    'two choices, one of them cut',
    'truncated_after_commit',
    [
      choices([
        { index: 0, delta: { content: 'A' }, finish_reason: null },
        { index: 1, delta: { content: 'B' }, finish_reason: null },
      ]),
      choices([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    ],
    { commit: 0, n: 2 },
  ),
  chat('error as a word first', 'failover', [`data: ${json({ error: 'model overloaded' })}\n\n`]),
  chat('error in a list first', 'failover', [`data: ${json([ERR])}\n\n`]),
  chat('error named by its event', 'failover', [
    ROLE,
    `event: error\ndata: ${json({ message: 'no worker', code: 503 })}\n\n`,
  ]),
  chat(
    'error named by its event, later',
    'error_after_commit',
    [ROLE, HI, `event: error\ndata: ${json({ message: 'no worker' })}\n\n`],
    { commit: 1 },
  ),
  chat('error beside content in the first chunk', 'failover', [
    chunk({ role: 'assistant', content: 'x' }, 'error', { error: { code: 502, message: 'gone' } }),
    DONE,
  ]),
  chat('error is null', 'ok', [chunk({ content: 'Hi' }, null, { error: null }), STOP, DONE], { commit: 0 }),
  chat('error behind the finish', 'error_after_commit', [ROLE, HI, STOP, `data: ${json(ERR)}\n\n`, DONE], {
    commit: 1,
  }),
  chat('error behind [DONE]', 'ok', [ROLE, HI, STOP, DONE, `data: ${json(ERR)}\n\n`], { commit: 1 }),
  chat('error without a frame, first', 'failover', [ROLE, UNFRAMED]),
  chat('error without a frame, later', 'error_after_commit', [ROLE, HI, UNFRAMED], { commit: 1 }),
  chat('error without a frame on one line', 'error_after_commit', [ROLE, HI, json(ERR)], { commit: 1 }),
  chat('error list without a frame', 'error_after_commit', [ROLE, HI, `[${UNFRAMED}]`], { commit: 1 }),
  chat('a page in place of events', 'failover', [
    '<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>',
  ]),
  chat('a page behind content', 'truncated_after_commit', [ROLE, HI, '<html><head><title>502</title></head></html>'], {
    commit: 1,
  }),
  chat('plain words in place of events', 'failover', ['upstream connect error or disconnect/reset before headers']),
  chat('finish says error', 'error_after_commit', [ROLE, HI, chunk({}, 'error'), DONE], { commit: 1 }),
  chat('finish says abort, first', 'failover', [ROLE, chunk({}, 'abort'), DONE]),
  chat(
    'finish says insufficient_system_resource',
    'error_after_commit',
    [ROLE, HI, chunk({}, 'insufficient_system_resource'), DONE],
    { commit: 1 },
  ),
  chat('finish nobody knows', 'ok', [ROLE, HI, chunk({}, 'sensitive'), DONE], { commit: 1 }),
  chat('nothing but a finish', 'ok_empty', [ROLE, STOP, DONE]),
  chat('length after hidden thought', 'ok_empty', [ROLE, chunk({}, 'length', { usage: COUNTS }), DONE], {
    usage: [20, 7, 3],
  }),
  chat('filtered before a word', 'ok_content_filter', [ROLE, chunk({}, 'content_filter'), DONE]),
  chat('thought and nothing else', 'ok', [ROLE, chunk({ reasoning: 'hm' }), STOP, DONE], { commit: 1 }),
  chat(
    'thought in details',
    'ok',
    [ROLE, chunk({ reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }] }), HI, STOP, DONE],
    { commit: 1 },
  ),
  chat(
    'counts on each chunk',
    'ok',
    [
      chunk({ role: 'assistant', content: 'A' }, null, {
        usage: { prompt_tokens: 20, completion_tokens: 1, total_tokens: 21 },
      }),
      chunk({ content: 'B' }, null, { usage: { prompt_tokens: 20, completion_tokens: 4, total_tokens: 24 } }),
      chunk({}, 'stop', { usage: COUNTS }),
      DONE,
    ],
    { commit: 0, usage: [20, 7, 3] },
  ),
  chat(
    'counts in a chunk of their own, twice',
    'ok',
    [
      HI,
      STOP,
      choices([], { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
      choices([], { usage: COUNTS }),
      DONE,
    ],
    { usage: [20, 7, 3] },
  ),
  chat('counts before the finish', 'ok', [HI, choices([], { usage: COUNTS }), STOP, DONE], { usage: [20, 7, 3] }),
  chat(
    'CR alone ends lines',
    'ok',
    [ROLE, HI, STOP, DONE].map((block) => block.replaceAll('\n', '\r')),
    { commit: 1 },
  ),
  chat('line ends of every kind', 'ok', [
    ROLE.replace('\n\n', '\r\n\n'),
    HI.replace('\n\n', '\n\r\n'),
    STOP.replace('\n\n', '\r\r'),
    DONE.replace('\n\n', '\r\n\r\n'),
  ]),
  chat('BOM', 'ok', [`\uFEFF${ROLE}`, HI, STOP, DONE], { commit: 1 }),
  chat('comments in blocks', 'ok', [`: one\n${ROLE}`, `: two\n${HI}`, STOP.replace('\n\n', '\n: three\n\n'), DONE], {
    commit: 1,
  }),
  chat('fields of no meaning', 'ok', [`id: 7\nretry: 10\nevent: message\n${ROLE}`, `event: chunk\n${HI}`, STOP, DONE], {
    commit: 1,
  }),
  chat(
    'empty data and pings',
    'ok',
    ['data:\n\n', 'data: \n\n', 'event: ping\ndata: {"type":"ping"}\n\n', 'event: keepalive\n\n', ROLE, HI, STOP, DONE],
    { commit: 5 },
  ),
  chat('JSON without choices between', 'ok', ['data: {"status":"queued"}\n\n', ROLE, 'data: {}\n\n', HI, STOP, DONE], {
    commit: 3,
  }),
  chat(
    'data over several lines',
    'ok',
    [`data: {"choices":[{"index":0,\ndata: "delta":{"content":"Hi"},\ndata:"finish_reason":null}]}\n\n`, STOP, DONE],
    { commit: 0 },
  ),
  chat('two events glued on one line', 'truncated_after_commit', [ROLE, HI, `${HI.trim()}${STOP}`, DONE], {
    commit: 1,
  }),
  chat('two events glued in one block', 'truncated_after_commit', [ROLE, HI, `${HI.trim()}\n${STOP}`, DONE], {
    commit: 1,
  }),
  chat('two events glued, first', 'failover', [`${ROLE.trim()}${HI}`, STOP, DONE]),
  chat('content behind the finish', 'ok', [HI, STOP, chunk({ content: '!' }), DONE], { commit: 0 }),
  chat(
    'annotations behind the finish',
    'ok',
    [
      HI,
      STOP,
      choices([
        { index: 0, finish_reason: null, content_filter_offsets: { check_offset: 9 }, content_filter_results: {} },
      ]),
      choices([{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 12 } }], {
        id: '',
        object: '',
      }),
      DONE,
    ],
    { commit: 0 },
  ),
  chat('words and finish in one chunk', 'ok', [chunk({ role: 'assistant', content: 'Hi' }, 'stop'), DONE], {
    commit: 0,
  }),
  chat(
    'delta is null',
    'ok',
    [
      choices([{ index: 0, delta: null, finish_reason: null }]),
      HI,
      choices([{ index: 0, delta: null, finish_reason: 'stop' }]),
      DONE,
    ],
    { commit: 1 },
  ),
  chat('choices is null', 'ok', [`data: ${json({ ...CHAT_HEAD, choices: null })}\n\n`, HI, STOP, DONE], { commit: 1 }),
  chat(
    'index missing',
    'ok',
    [choices([{ delta: { content: 'Hi' } }]), choices([{ delta: {}, finish_reason: 'stop' }]), DONE],
    { commit: 0 },
  ),
  chat('[DONE] and nothing else', 'failover', [DONE]),
  chat('no byte', 'failover', []),
  chat('comments and nothing else', 'failover', [': a\n\n', ': b\n\n']),
  chat('cut behind the role', 'failover', [ROLE]),
  chat(
    'cut inside a character',
    'truncated_after_commit',
    [ROLE, HI, Buffer.from(chunk({ content: '🙂🙂' })).subarray(0, -37)],
    { commit: 1 },
  ),
  chat('cut in the finish', 'truncated_after_commit', [ROLE, HI, STOP.slice(0, -5)], { commit: 1 }),
  chat('tail of whole JSON', 'ok_unterminated', [ROLE, HI, STOP.trim()], { commit: 1 }),
  chat(
    'audio by its id alone, then audio',
    'ok',
    [
      chunk({ role: 'assistant', audio: { id: 'audio_1', expires_at: 1 } }),
      chunk({ audio: { transcript: 'Hi' } }),
      STOP,
      DONE,
    ],
    { commit: 1 },
  ),
  chat(
    'call by name',
    'ok',
    [
      ROLE,
      chunk({ tool_calls: [{ index: 0, id: '', type: 'function', function: { name: '', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, id: 'call_9', type: 'function', function: { name: 'f', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }),
      chunk({}, 'tool_calls'),
      DONE,
    ],
    { commit: 2 },
  ),
  chat('id of a call before its name', 'ok', [
    ROLE,
    chunk({ tool_calls: [{ index: 0, id: 'call_9', type: 'function', function: { arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { name: 'f' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
    chunk({}, 'tool_calls'),
    DONE,
  ]),
  chat(
    'call repeated with each fragment',
    'ok',
    [
      ROLE,
      chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a"' } }] }),
      chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: ':1}' } }] }),
      chunk({}, 'tool_calls'),
      DONE,
    ],
    { commit: 1 },
  ),
  chat(
    'call without index',
    'ok',
    [
      ROLE,
      chunk({ tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] }),
      chunk({}, 'tool_calls'),
      DONE,
    ],
    { commit: 1 },
  ),
  chat(
    'call whose arguments broke off under length',
    'ok',
    [
      ROLE,
      chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"x' } }] }),
      chunk({}, 'length'),
      DONE,
    ],
    { commit: 1 },
  ),
  chat(
    'call cut',
    'truncated_after_commit',
    [
      ROLE,
      chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"x' } }] }),
    ],
    { commit: 1 },
  ),
  chat(
    'the old function_call',
    'ok',
    [
      ROLE,
      chunk({ function_call: { name: 'f', arguments: '' } }),
      chunk({ function_call: { arguments: '{}' } }),
      chunk({}, 'function_call'),
      DONE,
    ],
    { commit: 1 },
  ),
  chat('refusal', 'ok_refusal', [ROLE, chunk({ refusal: 'No' }), STOP, DONE], { commit: 1 }),
  chat(
    'padding is nothing',
    'ok',
    [choices([], { obfuscation: 'xxxx' }), chunk({ role: 'assistant' }, null, { obfuscation: 'aaa' }), HI, STOP, DONE],
    { commit: 2 },
  ),
  chat('another id in the middle', 'ok', [ROLE, HI, HI.replace('chatcmpl-B7', 'chatcmpl-C8'), STOP, DONE], {
    commit: 1,
  }),
];
