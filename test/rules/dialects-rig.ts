/** One request in each client dialect, and what its answers say, read neutrally. */
import type { RawAnswer } from '../faults/raw-client.ts';
import { type Post, type RulesRig, type RulesSettings, withRules } from './rules-rig.ts';

type Json = Record<string, unknown>;

/** The client dialects, by the endpoint's name. */
export const CLIENTS = ['chat', 'responses', 'messages', 'gemini'] as const;
export type Client = (typeof CLIENTS)[number];

/** Every provider of the rig speaks all dialects. */
export function withDialects(
  routes: Parameters<typeof withRules>[0],
  body: (rig: RulesRig) => Promise<void>,
  settings: RulesSettings = {},
): Promise<void> {
  return withRules(routes, body, { ...settings, provider: { type: 'sim', ...settings.provider } });
}

export interface AskOptions extends Post {
  readonly stream?: boolean;
  /** More fields of the body. */
  readonly fields?: Json;
  /** Gemini's stream as one JSON array. */
  readonly array?: boolean;
}

/** Where a request of this dialect goes. */
export function pathOf(client: Client, model: string, { stream = false, array = false }: AskOptions = {}): string {
  if (client === 'chat') return '/v1/chat/completions';
  if (client !== 'gemini') return `/v1/${client}`;
  const verb = stream ? `streamGenerateContent${array ? '' : '?alt=sse'}` : 'generateContent';
  return `/v1beta/models/${encodeURIComponent(model)}:${verb}`;
}

/** The body of a request that says hi. */
export function bodyOf(client: Client, model: string, { stream = false, fields = {} }: AskOptions = {}): Json {
  switch (client) {
    case 'chat':
      return { model, messages: [{ role: 'user', content: 'hi' }], stream, ...fields };
    case 'responses':
      return { model, input: 'hi', stream, ...fields };
    case 'messages':
      return { model, max_tokens: 500, messages: [{ role: 'user', content: 'hi' }], stream, ...fields };
    case 'gemini':
      return { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], ...fields };
  }
}

export function ask(rig: RulesRig, client: Client, model: string, options: AskOptions = {}): Promise<RawAnswer> {
  const { stream: _s, fields: _f, array: _a, headers, ...post } = options;
  const version: Record<string, string> = client === 'messages' ? { 'anthropic-version': '2023-06-01' } : {};
  const sent = { ...version, ...headers };
  return rig.post(bodyOf(client, model, options), { path: pathOf(client, model, options), ...post, headers: sent });
}

/** One event of a stream. */
export interface SeenEvent {
  readonly name: string | null;
  readonly data: Json;
}

/** The events of a stream; `[DONE]` is not one of them. An array's elements are events without a name. */
export function eventsOf(answer: RawAnswer): SeenEvent[] {
  const { text } = answer;
  if (text.trimStart().startsWith('[')) return (JSON.parse(text) as Json[]).map((data) => ({ name: null, data }));
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
  return blocks.flatMap((block) => {
    const lines = block.split('\n');
    const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
    const name = lines.find((line) => line.startsWith('event: '))?.slice(7) ?? null;
    return data.length === 0 || data[0] === '[DONE]' ? [] : [{ name, data: JSON.parse(data.join('\n')) as Json }];
  });
}

const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Json | undefined | null)?.[key as string], value);

/** What a whole answer says. */
export function saidBy(client: Client, answer: RawAnswer): string {
  const body: unknown = JSON.parse(answer.text);
  switch (client) {
    case 'chat':
      return String(at(body, 'choices', 0, 'message', 'content'));
    case 'responses':
      return partsText(((at(body, 'output') as Json[]) ?? []).flatMap((item) => (item['content'] as Json[]) ?? []));
    case 'messages':
      return partsText(at(body, 'content') as Json[]);
    case 'gemini':
      return partsText(at(body, 'candidates', 0, 'content', 'parts') as Json[]);
  }
}

function partsText(parts: readonly Json[] | undefined): string {
  return (parts ?? []).map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('');
}

/** The text of a stream. */
export function streamedBy(client: Client, answer: RawAnswer): string {
  return eventsOf(answer)
    .map(({ data }) => textIn(client, data))
    .join('');
}

function textIn(client: Client, data: Json): string {
  switch (client) {
    case 'chat':
      return String(at(data, 'choices', 0, 'delta', 'content') ?? '');
    case 'responses':
      return data['type'] === 'response.output_text.delta' ? String(data['delta']) : '';
    case 'messages':
      return data['type'] === 'content_block_delta' ? String(at(data, 'delta', 'text') ?? '') : '';
    case 'gemini':
      return partsText(at(data, 'candidates', 0, 'content', 'parts') as Json[]);
  }
}

/** Whether a client of the dialect takes the stream for whole. */
export function looksWhole(client: Client, answer: RawAnswer): boolean {
  if (answer.end !== 'complete') return false;
  let events: SeenEvent[];
  try {
    events = eventsOf(answer);
  } catch {
    return false;
  }
  if (events.some(({ data }) => data['error'] != null && data['type'] !== 'response.completed')) return false;
  switch (client) {
    case 'chat':
      return answer.text.trimEnd().endsWith('data: [DONE]');
    case 'responses':
      return events.some(({ data }) => data['type'] === 'response.completed' || data['type'] === 'response.incomplete');
    case 'messages':
      return events.at(-1)?.data['type'] === 'message_stop';
    case 'gemini':
      return events.some(({ data }) => at(data, 'candidates', 0, 'finishReason') !== undefined);
  }
}

/** Our code of an error body or error event, wherever the dialect has it. */
export function codeOf(body: unknown): unknown {
  const error = at(body, 'error') ?? at(body, 'response', 'error') ?? body;
  return at(error, 'details', 0, 'reason') ?? at(error, 'code');
}

/** The report in a whole answer, or in the event that has it. */
export function reportOf(body: unknown): Json | undefined {
  return (at(body, 'understudy') ?? at(body, 'response', 'understudy')) as Json | undefined;
}

export function reportIn(answer: RawAnswer): Json | undefined {
  const reports = eventsOf(answer).map(({ data }) => reportOf(data));
  return reports.find((report) => report !== undefined);
}
