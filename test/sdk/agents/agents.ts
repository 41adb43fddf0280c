/** Coding agents as they were seen: their requests, cut down to their shape, and how they go on after calls. */
import { readFileSync } from 'node:fs';
import { CLIENT_KEY } from '../gateway-config.ts';

type Json = Record<string, unknown>;

interface Fixture {
  readonly agent: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Json;
}

/** What one answer holds, in no dialect's words. */
export interface Turn {
  readonly text: string;
  /** Names of the calls. */
  readonly calls: readonly string[];
  /** The answer came to its end, and why. */
  readonly ended: string | null;
  /** The last part of the message is words. */
  readonly endsInWords: boolean;
  /** The next request's body: a result for every call. */
  next(body: Json): Json;
}

export interface Agent {
  readonly name: string;
  /** The wire format of an upstream that its requests pass to untouched, as a channel's `api` spells it. */
  readonly api: string;
  /** Prints the last part of an answer, and nothing where that is no words. */
  readonly printsLast: boolean;
  /** Headers that reach such an upstream as they are (G-10). */
  readonly passed: readonly string[];
  read(events: readonly Json[]): Turn;
}

const load = (name: string): Fixture =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8')) as Fixture;

/** A fixture's request for a model. */
export function requestOf(agent: Agent, model: string): Pick<Fixture, 'path' | 'headers' | 'body'> {
  const fixture = load(agent.name);
  const filled = (text: string): string => text.replaceAll('MODEL', model).replaceAll('CLIENT_KEY', CLIENT_KEY);
  const headers = Object.entries(fixture.headers).map(([name, value]) => [name, filled(value)]);
  return {
    path: filled(fixture.path),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: JSON.parse(filled(JSON.stringify(fixture.body))) as Json,
  };
}

/** The JSON of every event. */
export function eventsOf(text: string): Json[] {
  return text
    .split(/\r?\n\r?\n/)
    .flatMap((block) => /^data: ?(.*)$/m.exec(block)?.[1] ?? [])
    .map((data) => JSON.parse(data) as Json);
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const words = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Thoughts are put first, whatever their place was. */
function readMessage(events: readonly Json[]): Turn {
  const blocks: Json[] = [];
  let ended: string | null = null;
  for (const event of events) {
    const index = Number(event['index']);
    const delta = (event['delta'] ?? {}) as Json;
    const block = blocks[index] ?? {};
    if (event['type'] === 'content_block_start') blocks[index] = { ...(event['content_block'] as Json) };
    else if (event['type'] === 'content_block_delta') {
      if (delta['type'] === 'text_delta') block['text'] = words(block['text']) + words(delta['text']);
      if (delta['type'] === 'thinking_delta') block['thinking'] = words(block['thinking']) + words(delta['thinking']);
      if (delta['type'] === 'signature_delta') block['signature'] = delta['signature'];
      if (delta['type'] === 'input_json_delta') block['json'] = words(block['json']) + words(delta['partial_json']);
    } else if (event['type'] === 'message_delta') ended = words(delta['stop_reason']);
  }
  for (const block of blocks) {
    if (block['type'] === 'tool_use') block['input'] = JSON.parse(words(block['json']) || '{}');
    delete block['json'];
  }
  const isThought = ({ type }: Json): boolean => type === 'thinking' || type === 'redacted_thinking';
  const content = [...blocks.filter(isThought), ...blocks.filter((block) => !isThought(block))];
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  const results = calls.map(({ id }, i) => ({
    type: 'tool_result',
    content: 'This command requires approval',
    is_error: true,
    tool_use_id: id,
    ...(i === calls.length - 1 ? { cache_control: { type: 'ephemeral' } } : {}),
  }));
  return {
    text: blocks.map(({ text }) => words(text)).join(''),
    calls: calls.map(({ name }) => words(name)),
    ended,
    endsInWords: blocks.at(-1)?.['type'] === 'text',
    next: (body) => ({
      ...body,
      messages: [...list(body['messages']), { role: 'assistant', content }, { role: 'user', content: results }],
    }),
  };
}

function readResponse(events: readonly Json[]): Turn {
  const last = events.at(-1) ?? {};
  const response = (last['response'] ?? {}) as Json;
  const items = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item as Json);
  const calls = items.filter(({ type }) => type === 'function_call');
  const results = calls.map(({ call_id }, i) => ({
    type: 'function_call_output',
    id: `fco_00000000-0000-7000-8000-00000000000${i}`,
    call_id,
    output: 'Exit code: 1',
  }));
  return {
    text: events.map(({ type, delta }) => (type === 'response.output_text.delta' ? words(delta) : '')).join(''),
    calls: calls.map(({ name }) => words(name)),
    ended: last['type'] === 'response.completed' ? words(response['status']) : null,
    endsInWords: items.at(-1)?.['type'] === 'message',
    next: (body) => ({ ...body, input: [...list(body['input']), ...items, ...results] }),
  };
}

function readContent(events: readonly Json[]): Turn {
  const candidates = events.flatMap(({ candidates: found }) => list(found));
  const parts = candidates.flatMap(({ content }) => list((content as Json | undefined)?.['parts']));
  const calls = parts.flatMap((part) => (part['functionCall'] === undefined ? [] : [part['functionCall'] as Json]));
  const results = calls.map(({ id, name }) => ({
    functionResponse: { name, response: { error: 'no such folder' }, ...(id === undefined ? {} : { id }) },
  }));
  const said = parts.filter(({ thought }) => thought !== true);
  return {
    text: said.map(({ text }) => words(text)).join(''),
    calls: calls.map(({ name }) => words(name)),
    ended: words(candidates.at(-1)?.['finishReason']) || null,
    endsInWords: said.some(({ text }) => words(text) !== ''),
    next: (body) => ({
      ...body,
      contents: [
        ...list(body['contents']),
        { parts: parts.filter(({ thought }) => thought !== true), role: 'model' },
        { parts: results, role: 'user' },
      ],
    }),
  };
}

export const AGENTS: readonly Agent[] = [
  {
    name: 'claude-code',
    api: 'messages',
    printsLast: true,
    passed: ['anthropic-version', 'anthropic-beta'],
    read: readMessage,
  },
  { name: 'codex', api: 'responses', printsLast: false, passed: [], read: readResponse },
  { name: 'gemini-cli', api: 'gemini', printsLast: false, passed: [], read: readContent },
];
