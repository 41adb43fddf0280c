/** The AI SDK, major 7, with its three providers, and OpenAI's at both of its endpoints. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import {
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  Output,
  RetryError,
  streamText,
  type ToolModelMessage,
  type ToolSet,
  tool,
} from 'ai';
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

// Each option that one of its providers has no word for is a warning on the console: hundreds, all expected.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Without `execute`: the calls are the test's to answer. */
const TOOLS = {
  weather: tool({ description: 'tells the weather', inputSchema: jsonSchema<{ city: string }>(WEATHER) }),
  clock: tool({ description: 'tells the time', inputSchema: jsonSchema<{ zone: string }>(CLOCK) }),
} as unknown as ToolSet;

/** How each provider is told to think. */
const THINKING = {
  openai: { openai: { reasoningEffort: 'medium', reasoningSummary: 'auto', forceReasoning: true, store: false } },
  anthropic: { anthropic: { thinking: { type: 'adaptive', display: 'summarized' } } },
  google: { google: { thinkingConfig: { includeThoughts: true } } },
} as const;

/** Nothing is kept upstream: the whole conversation is sent each time. */
const STATELESS = { openai: { store: false } } as const;

type Provider = keyof typeof THINKING;

function question({ text, image }: Ask): ModelMessage {
  if (image === undefined) return { role: 'user', content: text };
  const file = { type: 'file' as const, data: image, mediaType: 'image/png' };
  return { role: 'user', content: [{ type: 'text', text }, file] };
}

class AiSdkClient implements NeutralClient {
  readonly name: string;
  readonly showsThoughts: boolean;
  readonly takesImages = true;
  readonly streamsObjects = true;
  readonly losesState: boolean;
  readonly #provider: Provider;
  readonly #model: (id: string) => LanguageModel;

  constructor(name: string, provider: Provider, showsThoughts: boolean, model: (id: string) => LanguageModel) {
    this.name = name;
    this.showsThoughts = showsThoughts;
    this.losesState = !showsThoughts;
    this.#provider = provider;
    this.#model = model;
  }

  ask(ask: Ask): Promise<Told> {
    return this.#go(ask, [question(ask)], () => {});
  }

  async watch(ask: Ask, seen: (piece: string) => void): Promise<void> {
    await this.#go(ask, [question(ask)], seen);
  }

  statusOf(error: unknown): number | null {
    const last = RetryError.isInstance(error) ? error.lastError : error;
    return APICallError.isInstance(last) ? (last.statusCode ?? null) : null;
  }

  async #go(ask: Ask, messages: ModelMessage[], seen: (piece: string) => void): Promise<Told> {
    const request = {
      model: this.#model(ask.model),
      messages,
      maxRetries: 0,
      ...(ask.tools === undefined ? {} : { tools: TOOLS }),
      ...(ask.schema === undefined ? {} : { output: Output.object({ schema: jsonSchema(MOOD) }) }),
      ...(ask.thinks === undefined ? { providerOptions: STATELESS } : { providerOptions: THINKING[this.#provider] }),
      ...(ask.most === undefined ? {} : { maxOutputTokens: ask.most }),
    };
    let pieces = 0;
    if (!ask.stream) return this.#told(ask, messages, await generateText(request), 0);
    let failed: unknown = null;
    const onError = ({ error }: { error: unknown }): void => {
      failed = error;
    };
    const streamed = streamText({ ...request, onError });
    for await (const part of streamed.fullStream) {
      if (part.type !== 'text-delta') continue;
      pieces += 1;
      seen(part.text);
    }
    if (failed !== null) throw failed;
    const [text, reasoningText, toolCalls, finishReason, totalUsage, response, output] = await Promise.all([
      streamed.text,
      streamed.reasoningText,
      streamed.toolCalls,
      streamed.finishReason,
      streamed.totalUsage,
      streamed.response,
      ask.schema === undefined ? undefined : streamed.output,
    ]);
    const said = { text, reasoningText, toolCalls, finishReason, totalUsage, response, output };
    return this.#told(ask, messages, said, pieces);
  }

  #told(ask: Ask, messages: readonly ModelMessage[], said: Said, pieces: number): Told {
    const { toolCalls, totalUsage, response } = said;
    const calls = toolCalls.map(({ toolName, input }) => ({ name: toolName, args: input }));
    const { inputTokens, outputTokens } = totalUsage;
    return {
      text: said.text,
      pieces,
      thoughts: said.reasoningText ?? '',
      calls,
      finish: said.finishReason.replace('-', '_'),
      usage:
        inputTokens === undefined || outputTokens === undefined ? null : { input: inputTokens, output: outputTokens },
      model: null,
      ...(ask.schema === undefined ? {} : { object: said.output }),
      next: (text) => {
        const results: ToolModelMessage = {
          role: 'tool',
          content: toolCalls.map(({ toolCallId, toolName }, i) => ({
            type: 'tool-result',
            toolCallId,
            toolName,
            output: { type: 'text', value: resultOf(calls[i]!) },
          })),
        };
        const follow: ModelMessage = calls.length > 0 ? results : { role: 'user', content: text };
        return this.#go(ask, [...messages, ...response.messages, follow], () => {});
      },
    };
  }
}

/** What both ways of asking tell. */
interface Said {
  readonly text: string;
  readonly reasoningText: string | undefined;
  readonly toolCalls: readonly { toolCallId: string; toolName: string; input: unknown }[];
  readonly finishReason: string;
  readonly totalUsage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
  readonly response: { readonly messages: readonly ModelMessage[] };
  readonly output?: unknown;
}

function openai(rig: SdkRig): ReturnType<typeof createOpenAI> {
  return createOpenAI({ baseURL: rig.baseUrl, apiKey: rig.apiKey });
}

export const aiSdkChat: ClientFactory = (rig) =>
  new AiSdkClient('openai.chat', 'openai', false, (id) => openai(rig).chat(id));
export const aiSdkResponses: ClientFactory = (rig) =>
  new AiSdkClient('openai.responses', 'openai', true, (id) => openai(rig).responses(id));
export const aiSdkMessages: ClientFactory = (rig) => {
  const provider = createAnthropic({ baseURL: rig.baseUrl, apiKey: rig.apiKey });
  return new AiSdkClient('anthropic', 'anthropic', true, (id) => provider(id));
};
export const aiSdkGenerate: ClientFactory = (rig) => {
  const provider = createGoogleGenerativeAI({ baseURL: `${rig.rootUrl}/v1beta`, apiKey: rig.apiKey });
  return new AiSdkClient('google', 'google', true, (id) => provider(id));
};
