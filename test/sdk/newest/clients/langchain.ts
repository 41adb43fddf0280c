/** LangChain's models of the three vendors, and OpenAI's at both of its endpoints. */
import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
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
  { type: 'function' as const, function: { name: 'weather', description: 'tells the weather', parameters: WEATHER } },
  { type: 'function' as const, function: { name: 'clock', description: 'tells the time', parameters: CLOCK } },
];

type Make = (ask: Ask) => BaseChatModel;

function question({ text, image }: Ask): HumanMessage {
  if (image === undefined) return new HumanMessage(text);
  const url = `data:image/png;base64,${image}`;
  return new HumanMessage({
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url } },
    ],
  });
}

type Limits = Partial<
  Pick<
    NeutralClient,
    'takesImages' | 'streamsObjects' | 'countsInputEarly' | 'deafToStreamErrors' | 'answersApart' | 'losesState'
  >
>;

class LangChainClient implements NeutralClient {
  readonly name: string;
  readonly showsThoughts = false;
  readonly takesImages: boolean;
  readonly streamsObjects: boolean;
  readonly countsInputEarly: boolean;
  readonly deafToStreamErrors: boolean;
  readonly answersApart: boolean;
  readonly losesState: boolean;
  readonly #make: Make;

  constructor(name: string, make: Make, limits: Limits = {}) {
    this.name = name;
    this.takesImages = limits.takesImages ?? true;
    this.streamsObjects = limits.streamsObjects ?? true;
    this.countsInputEarly = limits.countsInputEarly ?? false;
    this.deafToStreamErrors = limits.deafToStreamErrors ?? false;
    this.answersApart = limits.answersApart ?? false;
    this.losesState = limits.losesState ?? false;
    this.#make = make;
  }

  ask(ask: Ask): Promise<Told> {
    return this.#go(ask, [question(ask)], () => {});
  }

  async watch(ask: Ask, seen: (piece: string) => void): Promise<void> {
    await this.#go(ask, [question(ask)], seen);
  }

  statusOf(error: unknown): number | null {
    const { status } = error as { status?: unknown };
    return typeof status === 'number' ? status : null;
  }

  async #go(ask: Ask, messages: BaseMessage[], seen: (piece: string) => void): Promise<Told> {
    const model = this.#make(ask);
    if (ask.schema !== undefined) return this.#object(ask, model, messages);
    const bound = ask.tools === undefined ? model : model.bindTools!(TOOLS);
    if (!ask.stream) return this.#told(ask, messages, (await bound.invoke(messages)) as AIMessageChunk, 0);
    let whole: AIMessageChunk | null = null;
    let pieces = 0;
    for await (const chunk of await bound.stream(messages)) {
      const piece = chunk as AIMessageChunk;
      if (piece.text !== '') pieces += 1;
      seen(piece.text);
      whole = whole === null ? piece : whole.concat(piece);
    }
    if (whole === null) throw new Error('the stream was empty');
    return this.#told(ask, messages, whole, pieces);
  }

  async #object(ask: Ask, model: BaseChatModel, messages: BaseMessage[]): Promise<Told> {
    const structured = model.withStructuredOutput(MOOD as Record<string, unknown>, {
      name: 'mood',
      method: 'jsonSchema',
    });
    let object: unknown = null;
    if (!ask.stream) object = await structured.invoke(messages);
    else for await (const partial of await structured.stream(messages)) object = partial;
    return { ...EMPTY, object, next: () => Promise.reject(new Error('an object has no next turn')) };
  }

  #told(ask: Ask, messages: readonly BaseMessage[], message: AIMessageChunk, pieces: number): Told {
    const made = message.tool_calls ?? [];
    const calls = made.map(({ name, args }) => ({ name, args: args as unknown }));
    const usage = message.usage_metadata as UsageMetadata | undefined;
    return {
      text: message.text,
      pieces,
      thoughts: '',
      calls,
      finish: finishOf(message, calls.length > 0),
      usage: usage === undefined ? null : { input: usage.input_tokens, output: usage.output_tokens },
      model: null,
      next: (said) => {
        const results = made.map(
          ({ id, name }, i) => new ToolMessage({ tool_call_id: id!, name, content: resultOf(calls[i]!) }),
        );
        const follow = results.length > 0 ? results : [new HumanMessage(said)];
        return this.#go(ask, [...messages, message, ...follow], () => {});
      },
    };
  }
}

const EMPTY = { text: '', pieces: 0, thoughts: '', calls: [], finish: 'stop', usage: null, model: null };

/** Each vendor's model tells the end in words and places of its own. */
function finishOf({ response_metadata: told, additional_kwargs: more }: AIMessageChunk, called: boolean): string {
  const details = told['incomplete_details'] as { reason?: string } | null | undefined;
  const word = String(
    told['finish_reason'] ??
      told['stop_reason'] ??
      more['stop_reason'] ??
      told['finishReason'] ??
      details?.reason ??
      told['status'],
  );
  if (/^(max_tokens|max_output_tokens|length|MAX_TOKENS)$/.test(word)) return 'length';
  if (/^(tool_use|tool_calls)$/.test(word)) return 'tool_calls';
  if (/^(stop|end_turn|STOP|completed)$/.test(word)) return called ? 'tool_calls' : 'stop';
  return word;
}

/** What this client leaves to its caller where nothing is kept upstream. */
const REASONED = { reasoning: { effort: 'medium', summary: 'auto' }, include: ['reasoning.encrypted_content'] };

export const langChainChat: ClientFactory = ({ baseUrl, apiKey }) =>
  new LangChainClient(
    'ChatOpenAI',
    ({ model, most, thinks }) => {
      return new ChatOpenAI({
        model,
        apiKey,
        configuration: { baseURL: baseUrl },
        useResponsesApi: false,
        maxRetries: 0,
        ...(most === undefined ? {} : { maxTokens: most }),
        ...(thinks === undefined ? {} : { modelKwargs: { reasoning_effort: 'medium' } }),
      });
    },
    { losesState: true },
  );

export const langChainResponses: ClientFactory = ({ baseUrl, apiKey }) =>
  new LangChainClient(
    'ChatOpenAI over Responses',
    ({ model, most, thinks }) => {
      return new ChatOpenAI({
        model,
        apiKey,
        configuration: { baseURL: baseUrl },
        useResponsesApi: true,
        zdrEnabled: true,
        maxRetries: 0,
        ...(most === undefined ? {} : { maxTokens: most }),
        ...(thinks === undefined ? {} : { modelKwargs: REASONED }),
      });
    },
    { streamsObjects: false },
  );

export const langChainMessages: ClientFactory = ({ rootUrl, apiKey }: SdkRig) =>
  new LangChainClient(
    'ChatAnthropic',
    ({ model, most, thinks }) => {
      return new ChatAnthropic({
        model,
        apiKey,
        anthropicApiUrl: rootUrl,
        maxRetries: 0,
        maxTokens: most ?? 4000,
        ...(thinks === undefined ? {} : { thinking: { type: 'adaptive' } }),
      });
    },
    { countsInputEarly: true },
  );

export const langChainGenerate: ClientFactory = ({ rootUrl, apiKey }: SdkRig) =>
  new LangChainClient(
    'ChatGoogleGenerativeAI',
    ({ model, most, thinks }) => {
      return new ChatGoogleGenerativeAI({
        model,
        apiKey,
        baseUrl: rootUrl,
        maxRetries: 0,
        ...(most === undefined ? {} : { maxOutputTokens: most }),
        ...(thinks === undefined ? {} : { thinkingConfig: { includeThoughts: true } }),
      });
    },
    { takesImages: false, deafToStreamErrors: true, answersApart: true },
  );
