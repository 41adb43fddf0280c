/** What of a Chat Completions request an answer depends on. */

export interface OfferedTool {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly parameters: unknown;
}

export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly n: number;
  readonly maxTokens: number | null;
  readonly tools: readonly OfferedTool[];
  /** `name`: this one; `required`: any; `auto`; `none`. */
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string };
  readonly parallelTools: boolean;
  /** Schema of response_format json_schema; `{}` for json_object; null for text. */
  readonly schema: unknown;
  /** Null = no logprobs asked for, else how many alternatives. */
  readonly logprobs: number | null;
  readonly lastUserText: string;
  readonly lastRole: string | null;
  /** Rough count of the messages' tokens. */
  readonly promptTokens: number;
}

/** A request the API would refuse. */
export interface Refusal {
  readonly message: string;
  readonly param: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a parsed body; a Refusal is answered with 400. */
export function readChatRequest(body: unknown): ChatRequest | Refusal {
  if (!isFields(body)) return { message: 'The body must be a JSON object.', param: null };
  const { model, messages } = body;
  if (typeof model !== 'string' || model === '')
    return { message: 'You must provide a model parameter.', param: 'model' };
  if (!Array.isArray(messages) || messages.length === 0) {
    return { message: 'messages must be an array with at least one message.', param: 'messages' };
  }
  const n = body['n'] ?? 1;
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > 128) {
    return { message: 'n must be an integer from 1 to 128.', param: 'n' };
  }
  const last = fieldsOf(messages[messages.length - 1]);
  return {
    model,
    stream: body['stream'] === true,
    includeUsage: fieldsOf(body['stream_options'])['include_usage'] === true,
    n,
    maxTokens: positive(body['max_completion_tokens']) ?? positive(body['max_tokens']),
    tools: toolsOf(body['tools']),
    toolChoice: toolChoiceOf(body['tool_choice']),
    parallelTools: body['parallel_tool_calls'] !== false,
    schema: schemaOf(fieldsOf(body['response_format'])),
    logprobs: body['logprobs'] === true ? (positive(body['top_logprobs']) ?? 0) : null,
    lastUserText: lastUserText(messages),
    lastRole: typeof last['role'] === 'string' ? last['role'] : null,
    promptTokens: countTokens(messages),
  };
}

function toolsOf(tools: unknown): OfferedTool[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown): OfferedTool[] => {
    const { type, function: fn, custom } = fieldsOf(tool);
    const kind = type === 'custom' ? 'custom' : 'function';
    const { name, parameters } = fieldsOf(kind === 'custom' ? custom : fn);
    return typeof name === 'string' ? [{ kind, name, parameters }] : [];
  });
}

function toolChoiceOf(choice: unknown): ChatRequest['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  const fields = fieldsOf(choice);
  const name = fieldsOf(fields['function'])['name'] ?? fieldsOf(fields['custom'])['name'];
  if (typeof name === 'string') return { name };
  return fieldsOf(fields['allowed_tools'])['mode'] === 'required' ? 'required' : 'auto';
}

function schemaOf(format: Fields): unknown {
  if (format['type'] === 'json_object') return {};
  return format['type'] === 'json_schema' ? (fieldsOf(format['json_schema'])['schema'] ?? {}) : null;
}

function lastUserText(messages: readonly unknown[]): string {
  for (let i = messages.length - 1; i >= 0; i -= 1) {
    const { role, content } = fieldsOf(messages[i]);
    if (role === 'user') return textOf(content);
  }
  return '';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => fieldsOf(part)['text'])
    .filter((text) => typeof text === 'string')
    .join('\n');
}

/** A token per four characters, and some per message: near enough to tell calls apart. */
function countTokens(messages: readonly unknown[]): number {
  let count = 3;
  for (const message of messages) {
    const content = fieldsOf(message)['content'];
    count += 4 + Math.ceil(textOf(content).length / 4);
  }
  return count;
}

function positive(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
