/**
 * The stream of a response. Events are counted as Chat counts its chunks: the opening, each piece, each call's start.
 * Everything between goes out with its neighbours.
 */
import { type Completion, fragments } from '../../answer/completion.ts';
import type { SimRequest } from '../../answer/request.ts';
import type { RenderedStream, StreamEvent } from '../dialect.ts';
import {
  type CallItem,
  logprobsOf,
  type MessageItem,
  type MessagePart,
  type OutputItem,
  outputOf,
  type ReasoningItem,
} from './output.ts';
import { ownOf } from './own-request.ts';
import { emptyResponse, finishedResponse } from './response.ts';

type Weight = 'between' | 'opening' | 'content';

/** Collects events and numbers them. */
class EventWriter {
  readonly events: StreamEvent[] = [];

  write(type: string, fields: object, weight: Weight = 'between'): void {
    this.events.push(this.make(type, fields, weight));
  }

  /** An event with the next number, not collected. */
  make(type: string, fields: object, weight: Weight): StreamEvent {
    const data = JSON.stringify({ type, ...fields, sequence_number: this.events.length });
    return { name: type, data, content: weight === 'content', ...(weight === 'between' ? { counted: false } : {}) };
  }
}

/**
 * The whole stream. It ends with the response, which also says why it ended. Without `finish` items stay open and
 * nothing but `[DONE]`, which says nothing in this dialect, stands at the end.
 */
export function renderStream(completion: Completion, request: SimRequest, finish: boolean): RenderedStream {
  const writer = new EventWriter();
  const { background } = ownOf(request);
  writer.write('response.created', {
    response: emptyResponse(completion, request, background ? 'queued' : 'in_progress'),
  });
  if (background) writer.write('response.queued', { response: emptyResponse(completion, request, 'queued') });
  writer.write('response.in_progress', { response: emptyResponse(completion, request, 'in_progress') }, 'opening');
  const items = outputOf(completion, request);
  items.forEach((item, index) => {
    writeItem(writer, item, index, completion, request, finish || index < items.length - 1);
  });
  if (!finish) return { events: writer.events, terminator: { data: '[DONE]', content: false } };
  const response = finishedResponse(completion, request);
  return { events: writer.events, terminator: writer.make(`response.${response.status}`, { response }, 'between') };
}

function writeItem(
  writer: EventWriter,
  item: OutputItem,
  index: number,
  completion: Completion,
  request: SimRequest,
  close: boolean,
): void {
  const { padded } = ownOf(request);
  const at = { item_id: item.id, output_index: index };
  const delta = (type: string, place: object, piece: string, more: object = {}): void => {
    const padding = padded ? { obfuscation: padOf(piece) } : {};
    writer.write(type, { ...at, ...place, delta: piece, ...more, ...padding }, 'content');
  };
  const open = openItem(item);
  writer.write(
    'response.output_item.added',
    { output_index: index, item: open },
    'name' in item ? 'content' : 'between',
  );
  if (item.type === 'reasoning') writeSummary(writer, item, at, completion, delta, close);
  else if (item.type === 'message') writeMessage(writer, item, at, completion, request, delta, close);
  else writeCall(writer, item, at, delta, close);
  // A thought that can't be read is first seen here.
  const sealed = item.type === 'reasoning' && item.summary.length === 0 && item.encrypted_content !== undefined;
  if (close) writer.write('response.output_item.done', { output_index: index, item }, sealed ? 'content' : 'between');
}

type WriteDelta = (type: string, place: object, piece: string, more?: object) => void;

/** The item as it begins: empty. */
function openItem(item: OutputItem): object {
  switch (item.type) {
    case 'reasoning':
      return { id: item.id, type: item.type, summary: [] };
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
  }
}

function writeSummary(
  writer: EventWriter,
  item: ReasoningItem,
  at: object,
  completion: Completion,
  delta: WriteDelta,
  close: boolean,
): void {
  item.summary.forEach((part, i) => {
    const place = { summary_index: i };
    writer.write('response.reasoning_summary_part.added', { ...at, ...place, part: { ...part, text: '' } });
    for (const piece of completion.choices[0]?.reasoning ?? []) {
      delta('response.reasoning_summary_text.delta', place, piece);
    }
    if (!close) return;
    writer.write('response.reasoning_summary_text.done', { ...at, ...place, text: part.text });
    writer.write('response.reasoning_summary_part.done', { ...at, ...place, part });
  });
}

function writeMessage(
  writer: EventWriter,
  item: MessageItem,
  at: object,
  { choices }: Completion,
  request: SimRequest,
  delta: WriteDelta,
  close: boolean,
): void {
  item.content.forEach((part, i) => {
    const place = { content_index: i };
    writer.write('response.content_part.added', { ...at, ...place, part: emptyPart(part) });
    const isText = part.type === 'output_text';
    const pieces = (isText ? choices[0]?.text : choices[0]?.refusal) ?? [];
    for (const piece of pieces) {
      if (isText)
        delta('response.output_text.delta', place, piece, { logprobs: logprobsOf([piece], request.logprobs) });
      else delta('response.refusal.delta', place, piece);
    }
    if (!close) return;
    const done = isText ? { text: part.text, logprobs: part.logprobs } : { refusal: part.refusal };
    writer.write(isText ? 'response.output_text.done' : 'response.refusal.done', { ...at, ...place, ...done });
    writer.write('response.content_part.done', { ...at, ...place, part });
  });
}

function emptyPart(part: MessagePart): MessagePart {
  return part.type === 'refusal' ? { ...part, refusal: '' } : { ...part, text: '', logprobs: [] };
}

function writeCall(writer: EventWriter, item: CallItem, at: object, delta: WriteDelta, close: boolean): void {
  const isFunction = item.type === 'function_call';
  const type = isFunction ? 'response.function_call_arguments' : 'response.custom_tool_call_input';
  const input = isFunction ? item.arguments : item.input;
  for (const piece of fragments(input)) delta(`${type}.delta`, {}, piece);
  if (close)
    writer.write(`${type}.done`, { ...at, ...(isFunction ? { name: item.name, arguments: input } : { input }) });
}

const PADDING = 'q7Zk2Xw9Bn4Tc6Lr';

/** Makes pieces of a stream look equally long. */
function padOf(piece: string): string {
  return PADDING.slice(0, PADDING.length - (piece.length % PADDING.length));
}
