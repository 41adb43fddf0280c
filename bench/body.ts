/** What the benchmark sends and what its upstream answers: sizes of everyday traffic, the same for every contender. */

const CONTEXT = 'The quick brown fox jumps over the lazy dog near the river bank. '.repeat(24);

/** A request of about 2 KB. `number` is found again by the failing upstreams of the load scenario. */
export function chatBody(model: string | readonly string[], stream: boolean, number = 0): Buffer {
  const chain = typeof model === 'string' ? { model } : { models: model };
  const messages = [
    { role: 'system', content: CONTEXT },
    { role: 'user', content: `request ${number}: how many rivers are there?` },
  ];
  return Buffer.from(JSON.stringify({ ...chain, stream, temperature: 0.2, messages, user: 'bench' }));
}

const ANSWER_TEXT = 'There are a great many rivers, and nobody has counted every one of them. '.repeat(10);

/** A whole answer of about 1 KB. */
export const CHAT_ANSWER = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'static',
    choices: [{ index: 0, message: { role: 'assistant', content: ANSWER_TEXT, refusal: null }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 420, completion_tokens: 160, total_tokens: 580 },
  }),
);

function event(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const chunk = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'static',
    choices,
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** A streamed answer of `events` events as the writes it is sent in: role, tokens, finish and terminator. */
export function streamWrites(events: number): Buffer[] {
  const tokens = Array.from({ length: Math.max(events - 2, 1) }, (_, index) =>
    event({ content: ` word${index}` }, null),
  );
  const texts = [event({ role: 'assistant', content: '' }, null), ...tokens, `${event({}, 'stop')}data: [DONE]\n\n`];
  return texts.map((text) => Buffer.from(text));
}

function namedEvent(type: string, more: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
}

/** The same answer in the Messages dialect, in as many writes: what a crossing has to read. */
export function messagesWrites(events: number): Buffer[] {
  const message = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'static', content: [] };
  const usage = { input_tokens: 420, output_tokens: 1 };
  const opening =
    namedEvent('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } }) +
    namedEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  const tokens = Array.from({ length: Math.max(events - 2, 1) }, (_, index) =>
    namedEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ` word${index}` } }),
  );
  const ending =
    namedEvent('content_block_stop', { index: 0 }) +
    namedEvent('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 160 },
    }) +
    namedEvent('message_stop', {});
  return [opening, ...tokens, ending].map((text) => Buffer.from(text));
}
