/** The OpenAI client at Responses: its raw stream, and the helper that puts the response together. */
import OpenAI from 'openai';
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInput,
  ResponseInputItem,
  ResponseOutputItem,
} from 'openai/resources/responses/responses';
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

type Params = Omit<ResponseCreateParamsNonStreaming, 'stream'>;

const TOOLS = [
  { type: 'function' as const, name: 'weather', parameters: WEATHER, strict: true },
  { type: 'function' as const, name: 'clock', parameters: CLOCK, strict: true },
];

function question({ text, image }: Ask): ResponseInputItem {
  if (image === undefined) return { role: 'user', content: text };
  const picture = {
    type: 'input_image' as const,
    image_url: `data:image/png;base64,${image}`,
    detail: 'auto' as const,
  };
  return { role: 'user', content: [{ type: 'input_text', text }, picture] };
}

function paramsOf(ask: Ask, input: ResponseInput): Params {
  return {
    model: ask.model,
    input,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(ask.tools === undefined ? {} : { tools: TOOLS }),
    ...(ask.schema === undefined
      ? {}
      : { text: { format: { type: 'json_schema', name: 'mood', schema: MOOD, strict: true } } }),
    ...(ask.thinks === undefined ? {} : { reasoning: { effort: 'medium', summary: 'auto' } }),
    ...(ask.most === undefined ? {} : { max_output_tokens: ask.most }),
  };
}

class ResponsesClient implements NeutralClient {
  readonly name: string;
  readonly showsThoughts = true;
  readonly takesImages = true;
  readonly streamsObjects = true;
  readonly #client: OpenAI;
  readonly #helper: boolean;

  constructor(rig: SdkRig, helper: boolean, Client: typeof OpenAI) {
    this.#client = new Client({ baseURL: rig.baseUrl, apiKey: rig.apiKey });
    this.#helper = helper;
    this.name = helper ? 'responses helper' : 'responses';
  }

  ask(ask: Ask): Promise<Told> {
    return this.#go(ask, [question(ask)]);
  }

  async watch(ask: Ask, seen: (piece: string) => void): Promise<void> {
    const response = await this.#streamed(ask, [question(ask)], seen);
    // A failed response is no exception to this client, and nothing to be taken for an answer.
    if (response === null || response.status !== 'completed') throw new Error(`the response ended ${response?.status}`);
  }

  statusOf(error: unknown): number | null {
    const { status } = error as { readonly status?: unknown };
    return typeof status === 'number' ? status : null;
  }

  async #streamed(ask: Ask, input: ResponseInput, seen: (piece: string) => void): Promise<Response | null> {
    const params = paramsOf(ask, input);
    if (this.#helper) {
      const stream = this.#client.responses.stream(params);
      stream.on('response.output_text.delta', ({ delta }) => seen(delta));
      return stream.finalResponse();
    }
    let final: Response | null = null;
    for await (const event of await this.#client.responses.create({ ...params, stream: true })) {
      if (event.type === 'response.output_text.delta') seen(event.delta);
      const ends = event.type === 'response.completed' || event.type === 'response.incomplete';
      if (ends || event.type === 'response.failed') final = event.response;
    }
    return final;
  }

  async #go(ask: Ask, input: ResponseInput): Promise<Told> {
    let pieces = 0;
    let seen = '';
    const note = (piece: string): void => {
      pieces += 1;
      seen += piece;
    };
    const params = paramsOf(ask, input);
    const response = ask.stream ? await this.#streamed(ask, input, note) : await this.#client.responses.create(params);
    if (response === null) throw new Error('the stream ended without a response');
    const told = this.#told(ask, input, response, pieces);
    if (ask.stream && seen !== told.text) throw new Error(`the pieces say ${seen}, the response ${told.text}`);
    return told;
  }

  #told(ask: Ask, input: ResponseInput, response: Response, pieces: number): Told {
    const { output, usage } = response;
    const texts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
    const text = texts.map((part) => (part.type === 'output_text' ? part.text : '')).join('');
    const made = output.filter((item) => item.type === 'function_call');
    const calls = made.map((item) => ({ name: item.name, args: JSON.parse(item.arguments) as unknown }));
    const thoughts = output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []));
    return {
      text,
      pieces,
      thoughts: thoughts.map((summary) => summary.text).join(''),
      calls,
      finish: finishOf(response, made.length > 0),
      usage: usage ? { input: usage.input_tokens, output: usage.output_tokens } : null,
      model: response.model,
      ...(ask.schema === undefined ? {} : { object: JSON.parse(text) as unknown }),
      next: (said) => {
        const results: ResponseInputItem[] = made.map(({ call_id }, i) => ({
          type: 'function_call_output',
          call_id,
          output: resultOf(calls[i]!),
        }));
        const follow = results.length > 0 ? results : [{ role: 'user' as const, content: said }];
        return this.#go(ask, [...input, ...output.map(asInput), ...follow]);
      },
    };
  }
}

/** The helper's own additions are not for the API. */
function asInput(item: ResponseOutputItem): ResponseInputItem {
  const plain = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (key, inner: unknown) => (/^parsed/.test(key) ? undefined : inner)));
  return plain(item) as ResponseInputItem;
}

function finishOf({ status, incomplete_details: details }: Response, called: boolean): string {
  if (status === 'completed') return called ? 'tool_calls' : 'stop';
  return details?.reason === 'max_output_tokens' ? 'length' : `${status} ${details?.reason}`;
}

/** @param Client the library, of either major */
export function responsesClient(Client: typeof OpenAI = OpenAI): ClientFactory {
  return (rig) => new ResponsesClient(rig, false, Client);
}

/** @param Client the library, of either major */
export function responsesHelper(Client: typeof OpenAI = OpenAI): ClientFactory {
  return (rig) => new ResponsesClient(rig, true, Client);
}
