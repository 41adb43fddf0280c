/** The Gen AI client, major 3, which asks for version `v1` of its API. */
import {
  ApiError,
  type Content,
  type FunctionCall,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai';
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
  {
    functionDeclarations: [
      { name: 'weather', description: 'tells the weather', parametersJsonSchema: WEATHER },
      { name: 'clock', description: 'tells the time', parametersJsonSchema: CLOCK },
    ],
  },
];

function question({ text, image }: Ask): Content {
  const picture = image === undefined ? [] : [{ inlineData: { mimeType: 'image/png', data: image } }];
  return { role: 'user', parts: [{ text }, ...picture] };
}

function configOf(ask: Ask): GenerateContentConfig {
  return {
    ...(ask.tools === undefined ? {} : { tools: TOOLS }),
    ...(ask.schema === undefined ? {} : { responseMimeType: 'application/json', responseJsonSchema: MOOD }),
    ...(ask.thinks === undefined ? {} : { thinkingConfig: { includeThoughts: true } }),
    ...(ask.most === undefined ? {} : { maxOutputTokens: ask.most }),
  };
}

class GenerateClient implements NeutralClient {
  readonly name = 'generateContent';
  readonly showsThoughts = true;
  readonly takesImages = true;
  readonly streamsObjects = true;
  readonly #client: GoogleGenAI;

  constructor(rig: SdkRig) {
    this.#client = new GoogleGenAI({ apiKey: rig.apiKey, httpOptions: { baseUrl: rig.rootUrl } });
  }

  ask(ask: Ask): Promise<Told> {
    return this.#go(ask, [question(ask)], () => {});
  }

  async watch(ask: Ask, seen: (piece: string) => void): Promise<void> {
    await this.#go(ask, [question(ask)], seen);
  }

  statusOf(error: unknown): number | null {
    return error instanceof ApiError ? error.status : null;
  }

  async #go(ask: Ask, contents: Content[], seen: (piece: string) => void): Promise<Told> {
    const params = { model: ask.model, contents, config: configOf(ask) };
    const chunks: GenerateContentResponse[] = [];
    if (!ask.stream) chunks.push(await this.#client.models.generateContent(params));
    else {
      for await (const chunk of await this.#client.models.generateContentStream(params)) {
        chunks.push(chunk);
        for (const part of partsOf(chunk)) if (part.thought !== true) seen(part.text ?? '');
      }
    }
    return this.#told(ask, contents, chunks);
  }

  #told(ask: Ask, contents: Content[], chunks: readonly GenerateContentResponse[]): Told {
    const parts = chunks.flatMap(partsOf);
    const last = chunks.at(-1);
    const texts = parts
      .filter((part) => part.thought !== true && (part.text ?? '') !== '')
      .map((part) => part.text ?? '');
    const text = texts.join('');
    const made = parts.flatMap((part): FunctionCall[] => (part.functionCall === undefined ? [] : [part.functionCall]));
    const calls = made.map(({ name, args }) => ({ name: name ?? '', args }));
    const usage = last?.usageMetadata;
    return {
      text,
      pieces: texts.length,
      thoughts: parts.map((part) => (part.thought === true ? (part.text ?? '') : '')).join(''),
      calls,
      finish: finishOf(last?.candidates?.[0]?.finishReason, calls.length > 0),
      usage:
        usage === undefined
          ? null
          : {
              input: usage.promptTokenCount ?? 0,
              output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
            },
      model: last?.modelVersion ?? null,
      ...(ask.schema === undefined ? {} : { object: JSON.parse(text) as unknown }),
      next: (said) => {
        const results: Part[] = made.map(({ id, name }, i) => ({
          functionResponse: {
            ...(id === undefined ? {} : { id }),
            name: name!,
            response: { output: resultOf(calls[i]!) },
          },
        }));
        const follow = { role: 'user', parts: results.length > 0 ? results : [{ text: said }] };
        return this.#go(ask, [...contents, { role: 'model', parts }, follow], () => {});
      },
    };
  }
}

function partsOf(chunk: GenerateContentResponse): Part[] {
  return chunk.candidates?.[0]?.content?.parts ?? [];
}

/** This API says `STOP` for calls as well. */
function finishOf(reason: string | undefined, called: boolean): string {
  if (reason === 'STOP') return called ? 'tool_calls' : 'stop';
  return reason === 'MAX_TOKENS' ? 'length' : String(reason);
}

export const generateClient: ClientFactory = (rig) => new GenerateClient(rig);
