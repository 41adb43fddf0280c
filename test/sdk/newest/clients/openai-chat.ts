/** The OpenAI client at Chat Completions: its raw stream, and the helper that checks ids and indexes. */
import OpenAI from 'openai';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
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

type Message = ChatCompletion['choices'][number]['message'] & { readonly reasoning_content?: string | null };

type Params = Omit<ChatCompletionCreateParamsNonStreaming, 'stream'>;

const TOOLS = [
  { type: 'function' as const, function: { name: 'weather', parameters: WEATHER } },
  { type: 'function' as const, function: { name: 'clock', parameters: CLOCK } },
];

function question({ text, image }: Ask): ChatCompletionMessageParam {
  if (image === undefined) return { role: 'user', content: text };
  const url = `data:image/png;base64,${image}`;
  return {
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url } },
    ],
  };
}

function paramsOf(ask: Ask, messages: ChatCompletionMessageParam[]): Params {
  return {
    model: ask.model,
    messages,
    ...(ask.tools === undefined ? {} : { tools: TOOLS }),
    ...(ask.schema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'mood', schema: MOOD, strict: true } } }),
    ...(ask.thinks === undefined ? {} : { reasoning_effort: 'medium' }),
    ...(ask.most === undefined ? {} : { max_completion_tokens: ask.most }),
  };
}

class ChatClient implements NeutralClient {
  readonly name: string;
  readonly showsThoughts: boolean;
  readonly takesImages = true;
  readonly streamsObjects = true;
  readonly losesState = true;
  readonly #client: OpenAI;
  readonly #helper: boolean;

  constructor(rig: SdkRig, helper: boolean, Client: typeof OpenAI) {
    this.#client = new Client({ baseURL: rig.baseUrl, apiKey: rig.apiKey });
    this.#helper = helper;
    this.name = helper ? 'chat helper' : 'chat';
    // The vendors' own field reaches only who reads the raw chunks.
    this.showsThoughts = !helper;
  }

  ask(ask: Ask): Promise<Told> {
    return this.#go(ask, [question(ask)]);
  }

  async watch(ask: Ask, seen: (piece: string) => void): Promise<void> {
    const params = paramsOf(ask, [question(ask)]);
    if (this.#helper) {
      await this.#client.chat.completions.stream(params).on('content', seen).finalChatCompletion();
      return;
    }
    const stream = await this.#client.chat.completions.create({ ...params, stream: true });
    for await (const chunk of stream) seen(chunk.choices[0]?.delta.content ?? '');
  }

  statusOf(error: unknown): number | null {
    const { status } = error as { readonly status?: unknown };
    return typeof status === 'number' ? status : null;
  }

  async #go(ask: Ask, messages: ChatCompletionMessageParam[]): Promise<Told> {
    const params = paramsOf(ask, messages);
    if (!ask.stream) return this.#told(ask, messages, await this.#client.chat.completions.create(params), 1);
    if (this.#helper) {
      let pieces = 0;
      const stream = this.#client.chat.completions.stream({ ...params, stream_options: { include_usage: true } });
      stream.on('content', () => {
        pieces += 1;
      });
      return this.#told(ask, messages, await stream.finalChatCompletion(), pieces);
    }
    const request = { ...params, stream: true, stream_options: { include_usage: true } } as const;
    const gathered = new Gathered();
    for await (const chunk of await this.#client.chat.completions.create(request)) gathered.add(chunk);
    return this.#told(ask, messages, gathered, gathered.pieces);
  }

  #told(
    ask: Ask,
    messages: readonly ChatCompletionMessageParam[],
    answer: Pick<ChatCompletion, 'choices' | 'model'> & { readonly usage?: ChatCompletion['usage'] | undefined },
    pieces: number,
  ): Told {
    const choice = answer.choices[0]!;
    const message: Message = choice.message;
    const made = (message.tool_calls ?? []) as ChatCompletionMessageFunctionToolCall[];
    const calls = made.map(({ function: { name, arguments: args } }) => ({ name, args: JSON.parse(args) as unknown }));
    const text = message.content ?? '';
    return {
      text,
      pieces,
      thoughts: message.reasoning_content ?? '',
      calls,
      finish: choice.finish_reason,
      usage: answer.usage ? { input: answer.usage.prompt_tokens, output: answer.usage.completion_tokens } : null,
      model: answer.model,
      ...(ask.schema === undefined ? {} : { object: JSON.parse(text) as unknown }),
      next: (said) => {
        const results: ChatCompletionMessageParam[] = made.map(({ id }, i) => ({
          role: 'tool',
          tool_call_id: id,
          content: resultOf(calls[i]!),
        }));
        const follow = results.length > 0 ? results : [{ role: 'user' as const, content: said }];
        return this.#go(ask, [...messages, message as ChatCompletionMessageParam, ...follow]);
      },
    };
  }
}

/** A completion put together from chunks as a program without the helper does it. */
class Gathered {
  usage: ChatCompletion['usage'];
  model = '';
  pieces = 0;
  #content = '';
  #thoughts = '';
  #details: unknown[] = [];
  #finish = '';
  readonly #calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = [];

  add(chunk: ChatCompletionChunk): void {
    this.model = chunk.model;
    if (chunk.usage) this.usage = chunk.usage;
    const choice = chunk.choices[0];
    if (choice === undefined) return;
    const delta: typeof choice.delta & { reasoning_content?: string; reasoning_details?: unknown[] } = choice.delta;
    if (delta.content) this.pieces += 1;
    this.#content += delta.content ?? '';
    this.#thoughts += delta.reasoning_content ?? '';
    this.#details.push(...(delta.reasoning_details ?? []));
    for (const { index, id, function: called } of delta.tool_calls ?? []) {
      this.#calls[index] ??= { id: id ?? '', type: 'function', function: { name: called?.name ?? '', arguments: '' } };
      this.#calls[index].function.arguments += called?.arguments ?? '';
    }
    this.#finish = choice.finish_reason ?? this.#finish;
  }

  get choices(): ChatCompletion['choices'] {
    const message = {
      role: 'assistant' as const,
      content: this.#content,
      refusal: null,
      ...(this.#thoughts === '' ? {} : { reasoning_content: this.#thoughts }),
      ...(this.#details.length === 0 ? {} : { reasoning_details: this.#details }),
      ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls }),
    };
    const finish_reason = this.#finish as ChatCompletion['choices'][number]['finish_reason'];
    return [{ index: 0, message, finish_reason, logprobs: null }];
  }
}

/** @param Client the library, of either major */
export function chatClient(Client: typeof OpenAI = OpenAI): ClientFactory {
  return (rig) => new ChatClient(rig, false, Client);
}

/** @param Client the library, of either major */
export function chatHelper(Client: typeof OpenAI = OpenAI): ClientFactory {
  return (rig) => new ChatClient(rig, true, Client);
}
