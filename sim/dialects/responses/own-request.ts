/** What of a request only this dialect's rendering needs. */
import { type Fields, fieldsOf } from '../../answer/fields.ts';
import type { SimRequest } from '../../answer/request.ts';
import { type History, NO_HISTORY } from './stored.ts';

export interface OwnRequest {
  /** Fields the response repeats. */
  readonly echo: Fields;
  readonly store: boolean;
  readonly background: boolean;
  /** Thoughts are told in a summary. */
  readonly summary: boolean;
  /** Thoughts come sealed, to be sent back. */
  readonly sealed: boolean;
  /** Pieces of a stream are padded to hide their lengths. */
  readonly padded: boolean;
  /** The conversation up to this request's end. */
  readonly history: History;
}

/** Of a request nobody has read. */
const UNREAD: OwnRequest = {
  echo: {},
  store: false,
  background: false,
  summary: false,
  sealed: false,
  padded: true,
  history: NO_HISTORY,
};

export function ownOf(request: SimRequest): OwnRequest {
  return 'history' in fieldsOf(request.own) ? (request.own as OwnRequest) : UNREAD;
}

/** Takes it from a body whose fields are right. */
export function ownRequest(fields: Fields, history: History): OwnRequest {
  const { reasoning, text, stream, stream_options: options } = fields;
  const { effort, summary, generate_summary: older } = fieldsOf(reasoning);
  return {
    echo: {
      ...REPEATED,
      ...Object.fromEntries(
        Object.keys(REPEATED).flatMap((name) => (fields[name] == null ? [] : [[name, fields[name]]])),
      ),
      reasoning: { effort: effort ?? null, summary: summary ?? older ?? null },
      text: { format: { type: 'text' }, verbosity: 'medium', ...fieldsOf(text) },
      tools: (Array.isArray(fields['tools']) ? fields['tools'] : []).map(repeatedTool),
    },
    store: fields['store'] !== false,
    background: fields['background'] === true,
    summary: (summary ?? older) != null,
    sealed: included(fields, 'reasoning.encrypted_content'),
    padded: stream === true && fieldsOf(options)['include_obfuscation'] !== false,
    history,
  };
}

/** What a response repeats of its request, with what stands there when the request was silent. */
const REPEATED: Fields = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  prompt_cache_retention: null,
  safety_identifier: null,
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

/** A function that didn't say so is strict. */
function repeatedTool(tool: unknown): unknown {
  const fields = fieldsOf(tool);
  return fields['type'] === 'function' ? { description: null, strict: true, ...fields } : tool;
}

/** Whether `include` asks for it. */
export function included(fields: Fields, what: string): boolean {
  return Array.isArray(fields['include']) && fields['include'].includes(what);
}
