/** The events of this dialect's streams (dialects §3, §7). Clients' own helpers refuse all others, so those are dropped (T-8). */
import { CONTENT } from '../stream/grammar.ts';

/** What becomes of an event of one type. */
export interface EventKind {
  readonly type: string;
  readonly role: /** A piece of content, in `delta`. */
    | 'delta'
    /** The same content once more, whole. */
    | 'done'
    /** `output_item.added` and `.done`. */
    | 'item added'
    | 'item done'
    /** A part of an item, with perhaps something in it already. */
    | 'part'
    /** `partial_image`, an annotation: content in whichever member it stands. */
    | 'whole'
    /** The response at its beginning. */
    | 'opening'
    /** The response at its end. */
    | 'terminal'
    | 'failed'
    | 'error'
    /** Progress that shows nothing. */
    | 'plain';
  /** `CONTENT` bit of what it carries; 0 = none, or it depends. */
  readonly content: number;
}

/** Events with a `.delta` and a `.done`. */
const PIECES: Readonly<Record<string, number>> = {
  output_text: CONTENT.text,
  refusal: CONTENT.refusal,
  function_call_arguments: CONTENT.call,
  custom_tool_call_input: CONTENT.call,
  mcp_call_arguments: CONTENT.call,
  code_interpreter_call_code: CONTENT.call,
  shell_call_command: CONTENT.call,
  shell_call_output_content: CONTENT.call,
  reasoning_text: CONTENT.reasoning,
  reasoning_summary_text: CONTENT.reasoning,
  audio: CONTENT.audio,
  'audio.transcript': CONTENT.audio,
};

const PLAIN = [
  ...['in_progress', 'searching', 'completed'].flatMap((step) => [
    `web_search_call.${step}`,
    `file_search_call.${step}`,
  ]),
  ...['in_progress', 'interpreting', 'completed'].map((step) => `code_interpreter_call.${step}`),
  ...['in_progress', 'generating', 'completed'].map((step) => `image_generation_call.${step}`),
  ...['in_progress', 'completed', 'failed'].flatMap((step) => [`mcp_call.${step}`, `mcp_list_tools.${step}`]),
  ...['shell_call_command.added', 'compaction.compacting'],
];

const KINDS: readonly EventKind[] = [
  ...Object.entries(PIECES).flatMap(([stem, content]): EventKind[] => [
    { type: `response.${stem}.delta`, role: 'delta', content },
    { type: `response.${stem}.done`, role: 'done', content },
  ]),
  ...PLAIN.map((name): EventKind => ({ type: `response.${name}`, role: 'plain', content: 0 })),
  ...['created', 'queued', 'in_progress'].map(
    (name): EventKind => ({ type: `response.${name}`, role: 'opening', content: 0 }),
  ),
  ...['completed', 'incomplete'].map((name): EventKind => ({ type: `response.${name}`, role: 'terminal', content: 0 })),
  { type: 'response.failed', role: 'failed', content: 0 },
  { type: 'response.output_item.added', role: 'item added', content: 0 },
  { type: 'response.output_item.done', role: 'item done', content: 0 },
  { type: 'response.content_part.added', role: 'part', content: 0 },
  { type: 'response.content_part.done', role: 'plain', content: 0 },
  { type: 'response.reasoning_summary_part.added', role: 'part', content: 0 },
  { type: 'response.reasoning_summary_part.done', role: 'plain', content: 0 },
  { type: 'response.output_text.annotation.added', role: 'whole', content: CONTENT.annotations },
  { type: 'response.image_generation_call.partial_image', role: 'whole', content: CONTENT.images },
  { type: 'error', role: 'error', content: 0 },
];

const BY_TYPE: ReadonlyMap<string, EventKind> = new Map(KINDS.map((kind) => [kind.type, kind]));

/** Null = nobody knows that type. */
export function eventKind(type: string): EventKind | null {
  return BY_TYPE.get(type) ?? null;
}
