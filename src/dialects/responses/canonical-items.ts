/** Items of an answer as JSON text, whole: what a stream's events lead up to. */
import type { BlockStart, Citation, JsonText } from '../canonical.ts';

export type ItemStatus = 'completed' | 'incomplete';

/** One part of a message. */
export interface SpokenPart {
  readonly type: 'output_text' | 'refusal';
  text: string;
  readonly annotations: JsonText[];
  /** Tokens, as JSON, joined by commas. */
  logprobs: string;
}

export function spokenPartText({ type, text, annotations, logprobs }: SpokenPart): JsonText {
  if (type === 'refusal') return `{"type":"refusal","refusal":${JSON.stringify(text)}}`;
  return `{"type":"output_text","annotations":[${annotations.join(',')}],"logprobs":[${logprobs}],"text":${JSON.stringify(text)}}`;
}

export function messageItem(id: string, status: ItemStatus | 'in_progress', parts: readonly SpokenPart[]): JsonText {
  return `{"id":"${id}","type":"message","status":"${status}","content":[${parts.map(spokenPartText).join(',')}],"role":"assistant"}`;
}

/** A thought: its summary, or in its own words; and the state in which it goes back. */
export interface Thought {
  text: string;
  readonly summary: boolean;
  sealed: string | null;
}

export function thoughtItem(id: string, { text, summary, sealed }: Thought): JsonText {
  const said = text === '' ? [] : [thoughtPart(text, summary)];
  return `{"id":"${id}","type":"reasoning","summary":[${summary ? said : ''}]${
    summary ? '' : `,"content":[${said}]`
  }${sealed === null ? '' : `,"encrypted_content":${JSON.stringify(sealed)}`}}`;
}

export function thoughtPart(text: string, summary: boolean): JsonText {
  return JSON.stringify({ type: summary ? 'summary_text' : 'reasoning_text', text });
}

export type CallStart = Extract<BlockStart, { type: 'call' }>;

/** A call as this dialect names it. */
export interface NamedCall extends CallStart {
  readonly namespace?: string;
}

export function callItem(id: string, status: ItemStatus | 'in_progress', call: NamedCall, input: string): JsonText {
  const isCustom = call.form === 'custom';
  return JSON.stringify({
    id,
    type: isCustom ? 'custom_tool_call' : 'function_call',
    status,
    [isCustom ? 'input' : 'arguments']: input,
    call_id: call.id,
    name: call.name,
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
  });
}

/** Null = it cites no address, and this dialect knows no other. */
export function annotationText({ url, title, start, end }: Citation): JsonText | null {
  if (url === null) return null;
  return JSON.stringify({
    type: 'url_citation',
    url,
    title: title ?? '',
    start_index: start ?? 0,
    end_index: end ?? start ?? 0,
  });
}
