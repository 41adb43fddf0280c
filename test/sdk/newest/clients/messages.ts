/** The Messages client of major 1 (version 2026-10-21, bearer key): raw events, and the helper. */
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import type {
  ContentBlockParam,
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import type { SdkRig } from '../../sdk-rig.ts';
import {
  type Ask,
  CLOCK,
  type ClientFactory,
  MOOD,
  type NeutralClient,
  resultOf,
  type Told,
  WEATHER,
} from '../neutral.ts';

const TOOLS = [
  { name: 'weather', input_schema: { ...WEATHER, required: [...WEATHER.required] } },
  { name: 'clock', input_schema: { ...CLOCK, required: [...CLOCK.required] } },
];
/** Above the least budget of thinking. */
const USUAL_MOST = 4000;

function question({ text, image }: Ask): MessageParam {
  if (image === undefined) return { role: 'user', content: text };
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: image };
  return {
    role: 'user',
    content: [
      { type: 'image', source },
      { type: 'text', text },
    ],
  };
}

function paramsOf(ask: Ask, messages: MessageParam[]): MessageCreateParamsNonStreaming {
  return {
    model: ask.model,
    max_tokens: ask.most ?? USUAL_MOST,
    messages,
    ...(ask.tools === undefined ? {} : { tools: TOOLS }),
    ...(ask.schema === undefined ? {} : { output_config: { format: { type: 'json_schema', schema: MOOD } } }),
    ...(ask.thinks === undefined ? {} : { thinking: { type: 'adaptive', display: 'summarized' } }),
  };
}

class MessagesClient implements NeutralClient {
  readonly name: string;
  readonly showsThoughts = true;
  readonly takesImages = true;
  readonly streamsObjects = true;
  readonly #client: Anthropic;
  readonly #helper: boolean;

  constructor(rig: SdkRig, helper: boolean) {
    this.#client = new Anthropic({ baseURL: rig.rootUrl, apiKey: rig.apiKey });
    this.#helper = helper;
    this.name = helper ? 'messages helper' : 'messages';
  }

  ask(ask: Ask): Promise<Told> {
    return this.#go(ask, [question(ask)]);
  }

  async watch(ask: Ask, seen: (piece: string) => void): Promise<void> {
    await this.#streamed(ask, [question(ask)], seen);
  }

  statusOf(error: unknown): number | null {
    return error instanceof APIError ? (error.status ?? null) : null;
  }

  async #streamed(ask: Ask, messages: MessageParam[], seen: (piece: string) => void): Promise<Message> {
    const params = paramsOf(ask, messages);
    if (this.#helper) {
      const stream = this.#client.messages.stream(params);
      stream.on('text', seen);
      return stream.finalMessage();
    }
    const gathered = new Gathered(seen);
    for await (const event of await this.#client.messages.create({ ...params, stream: true })) gathered.add(event);
    return gathered.message();
  }

  async #go(ask: Ask, messages: MessageParam[]): Promise<Told> {
    let pieces = 0;
    const note = (): void => {
      pieces += 1;
    };
    const message = ask.stream
      ? await this.#streamed(ask, messages, note)
      : await this.#client.messages.create(paramsOf(ask, messages));
    return this.#told(ask, messages, message, pieces);
  }

  #told(ask: Ask, messages: readonly MessageParam[], message: Message, pieces: number): Told {
    const { content, usage, stop_reason: reason } = message;
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const made = content.filter((block) => block.type === 'tool_use');
    const calls = made.map(({ name, input }) => ({ name, args: input }));
    return {
      text,
      pieces,
      thoughts: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      calls,
      finish: { end_turn: 'stop', max_tokens: 'length', tool_use: 'tool_calls' }[String(reason)] ?? String(reason),
      usage: { input: usage.input_tokens, output: usage.output_tokens },
      model: message.model,
      ...(ask.schema === undefined ? {} : { object: JSON.parse(text) as unknown }),
      next: (said) => {
        const results: ContentBlockParam[] = made.map(({ id }, i) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: resultOf(calls[i]!),
        }));
        const follow = { role: 'user' as const, content: results.length > 0 ? results : said };
        return this.#go(ask, [...messages, { role: 'assistant', content: content as ContentBlockParam[] }, follow]);
      },
    };
  }
}

/** A message put together from events, by index as the protocol says. */
class Gathered {
  readonly #seen: (piece: string) => void;
  #message: Message | null = null;
  #ended = false;
  readonly #inputs = new Map<number, string>();

  constructor(seen: (piece: string) => void) {
    this.#seen = seen;
  }

  add(event: RawMessageStreamEvent): void {
    if (event.type === 'message_start') {
      if (this.#message !== null) throw new Error('a second message begins');
      this.#message = event.message;
      return;
    }
    const message = this.#message;
    if (message === null) throw new Error(`${event.type} before the message`);
    if (event.type === 'content_block_start') {
      if (event.index !== message.content.length) throw new Error(`block ${event.index} out of order`);
      message.content.push(event.content_block);
    } else if (event.type === 'content_block_delta') this.#delta(message, event);
    else if (event.type === 'content_block_stop') this.#stop(message, event.index);
    else if (event.type === 'message_delta') {
      message.stop_reason = event.delta.stop_reason;
      message.usage.output_tokens = event.usage.output_tokens;
      message.usage.input_tokens = event.usage.input_tokens ?? message.usage.input_tokens;
    } else if (event.type === 'message_stop') this.#ended = true;
  }

  message(): Message {
    if (this.#message === null || !this.#ended) throw new Error('the stream ended without its message');
    return this.#message;
  }

  #delta(message: Message, { index, delta }: Extract<RawMessageStreamEvent, { type: 'content_block_delta' }>): void {
    const block = message.content[index]!;
    if (delta.type === 'text_delta' && block.type === 'text') {
      block.text += delta.text;
      this.#seen(delta.text);
    } else if (delta.type === 'thinking_delta' && block.type === 'thinking') block.thinking += delta.thinking;
    else if (delta.type === 'signature_delta' && block.type === 'thinking') block.signature = delta.signature;
    else if (delta.type === 'input_json_delta') {
      this.#inputs.set(index, (this.#inputs.get(index) ?? '') + delta.partial_json);
    }
  }

  #stop(message: Message, index: number): void {
    const block = message.content[index];
    const input = this.#inputs.get(index) ?? '';
    if (block?.type === 'tool_use' && input !== '') block.input = JSON.parse(input);
  }
}

export const messagesClient: ClientFactory = (rig) => new MessagesClient(rig, false);
export const messagesHelper: ClientFactory = (rig) => new MessagesClient(rig, true);
