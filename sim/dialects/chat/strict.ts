/** What the newest models refuse in a Chat Completions request: asked for by model names that start with `strict-`. */
import { type Fields, fieldsOf, wordOf } from '../../answer/fields.ts';
import type { Refusal } from '../../answer/request.ts';

const FIELDS = new Set(
  (
    'model messages max_completion_tokens tools tool_choice parallel_tool_calls response_format reasoning_effort ' +
    'verbosity temperature top_p frequency_penalty presence_penalty logit_bias seed n stop logprobs top_logprobs ' +
    'stream stream_options modalities audio metadata store service_tier user safety_identifier prompt_cache_key ' +
    'prompt_cache_options prompt_cache_retention prediction web_search_options moderation functions function_call'
  ).split(' '),
);
const ROLES = new Set(['developer', 'system', 'user', 'assistant', 'tool', 'function']);
/** Kinds of content by role; a role not named here takes text alone. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
};

/** The first thing wrong, or null. Called with a request that is read already. */
export function strictProblem(body: Fields): Refusal | null {
  if ('max_tokens' in body) {
    return {
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      param: 'max_tokens',
      code: 'unsupported_parameter',
    };
  }
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) {
    return { message: `Unknown parameter: '${unknown}'.`, param: unknown, code: 'unknown_parameter' };
  }
  return reasoningProblem(body) ?? messagesProblem(listOf(body['messages']).map(fieldsOf));
}

/** Calling functions while reasoning is for the Responses API. */
function reasoningProblem(body: Fields): Refusal | null {
  const effort = body['reasoning_effort'];
  const functions = listOf(body['tools']).some((tool) => fieldsOf(tool)['type'] === 'function');
  if (!functions || effort === undefined || effort === null || effort === 'none') return null;
  return {
    message:
      "Function tools with reasoning are not supported for this model in /v1/chat/completions. Use /v1/responses or set reasoning_effort to 'none'.",
    param: 'reasoning_effort',
    code: 'unsupported_parameter',
  };
}

function messagesProblem(messages: readonly Fields[]): Refusal | null {
  let open = new Set<string>();
  for (const [i, message] of messages.entries()) {
    const param = `messages.[${i}].role`;
    const role = wordOf(message['role']);
    if (!ROLES.has(role)) return { message: `Invalid value: '${role}'.`, param };
    const foreign = listOf(message['content']).find(
      (part) => !(PARTS[role] ?? ['text']).includes(wordOf(fieldsOf(part)['type'])),
    );
    if (foreign !== undefined) {
      const type = wordOf(fieldsOf(foreign)['type']);
      return { message: `Invalid value: '${type}'.`, param: `messages[${i}].content` };
    }
    if (role === 'tool') {
      if (open.delete(wordOf(message['tool_call_id']))) continue;
      return {
        message:
          "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
        param,
      };
    }
    if (open.size > 0) return unanswered(open, param);
    open = new Set(listOf(message['tool_calls']).map((call) => wordOf(fieldsOf(call)['id'])));
  }
  return open.size > 0 ? unanswered(open, `messages.[${messages.length - 1}].role`) : null;
}

function unanswered(ids: ReadonlySet<string>, param: string): Refusal {
  return {
    message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`,
    param,
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
