/** Reads a Chat Completions request. */
import { type Fields, fieldsOf, isFields, positive, textOf, tokensOf } from '../../answer/fields.ts';
import { type OfferedTool, PLAIN_REQUEST, type Refusal, type SimRequest } from '../../answer/request.ts';
import { isStrict } from '../dialect.ts';
import { strictProblem } from './strict.ts';

/** Reads a parsed body; a Refusal is answered with 400. */
export function readChatRequest(body: unknown): SimRequest | Refusal {
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
  const problem = isStrict(model) ? strictProblem(body) : null;
  if (problem !== null) return problem;
  const last = fieldsOf(messages[messages.length - 1]);
  return {
    ...PLAIN_REQUEST,
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

function toolChoiceOf(choice: unknown): SimRequest['toolChoice'] {
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

/** The texts' tokens, and some per message. */
function countTokens(messages: readonly unknown[]): number {
  let count = 3;
  for (const message of messages) count += 4 + tokensOf(textOf(fieldsOf(message)['content']));
  return count;
}
