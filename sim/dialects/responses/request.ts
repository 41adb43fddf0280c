/** Reads a request of the Responses API. */
import { type Fields, fieldsOf, positive, textOf, tokensOf } from '../../answer/fields.ts';
import type { Memory } from '../../answer/memory.ts';
import { type OfferedTool, PLAIN_REQUEST, type Refusal, type SimRequest } from '../../answer/request.ts';
import { type Ask, isStrict, type Place } from '../dialect.ts';
import { faultOfBody } from './fields.ts';
import { followItems, itemsOf } from './history.ts';
import { included, ownRequest } from './own-request.ts';
import { missing, refuse } from './shape.ts';
import { type History, NO_HISTORY, recallResponse } from './stored.ts';
import { faultOfChoice, faultOfStrictness } from './tools.ts';

/** Reads a parsed body. Refuses what the API refuses. */
export function readResponsesRequest(body: unknown, place: Place, _ask: Ask, memory: Memory): SimRequest | Refusal {
  const counting = place.operation === 'count_tokens';
  const refusal = faultOfBody(body, counting) ?? faultOfWhole(fieldsOf(body), counting);
  if (refusal !== null) return refusal;
  const fields = fieldsOf(body);
  const before = historyBefore(fields, memory);
  if (!('calls' in before)) return before;
  const items = itemsOf(fields['input']);
  const history = followItems(items, before, memory);
  if (!('calls' in history)) return history;
  const own = ownRequest(fields, history);
  const { effort, summary } = fieldsOf(fields['reasoning']);
  return {
    ...PLAIN_REQUEST,
    operation: place.operation,
    model: typeof fields['model'] === 'string' ? fields['model'] : PLAIN_REQUEST.model,
    stream: !counting && fields['stream'] === true,
    includeUsage: true,
    maxTokens: positive(fields['max_output_tokens']),
    tools: offeredTools(fields),
    toolChoice: toolChoiceOf(fields['tool_choice']),
    parallelTools: fields['parallel_tool_calls'] !== false,
    schema: schemaOf(fieldsOf(fieldsOf(fields['text'])['format'])),
    logprobs: included(fields, 'message.output_text.logprobs') ? (positive(fields['top_logprobs']) ?? 0) : null,
    reasoning: summary != null || (effort != null && effort !== 'none'),
    lastUserText: lastUserText(items),
    lastRole: lastRole(items),
    promptTokens: countTokens(fields, items) + before.tokens,
    own,
  };
}

/** What is wrong with a body whose fields are right one by one. */
function faultOfWhole(fields: Fields, counting: boolean): Refusal | null {
  const { input, previous_response_id: previous, conversation, prompt, tools, model } = fields;
  if (model === '') return missing('model');
  if (previous != null && conversation != null) {
    const message = "Mutually exclusive parameters: 'previous_response_id' and 'conversation'.";
    return refuse(message, null, 'mutually_exclusive_parameters');
  }
  if (itemsOf(input).length === 0 && previous == null && conversation == null && prompt == null && !counting) {
    return missing('input');
  }
  if (fields['background'] === true && fields['store'] === false) {
    return refuse("Background mode requires 'store' to be true.", 'background');
  }
  const strict = typeof model === 'string' && isStrict(model);
  return (
    faultOfChoice(fields['tool_choice'], Array.isArray(tools) ? tools : []) ??
    (strict ? (faultOfStrictness(tools) ?? faultOfSampling(fields)) : null) ??
    faultOfJson(fields)
  );
}

/** The newest models take no sampling parameters while they think. */
function faultOfSampling(fields: Fields): Refusal | null {
  if (fieldsOf(fields['reasoning'])['effort'] === 'none') return null;
  const name = ['temperature', 'top_p'].find((field) => fields[field] != null);
  return name === undefined ? null : refuse(`Unsupported parameter: '${name}' is not supported with this model.`, name);
}

/** `json_object` wants its word said somewhere. */
function faultOfJson(fields: Fields): Refusal | null {
  if (fieldsOf(fieldsOf(fields['text'])['format'])['type'] !== 'json_object') return null;
  if (fields['previous_response_id'] != null) return null;
  const said = [fields['instructions'], ...itemsOf(fields['input']).map(({ content }) => content)].map(textOf);
  if (said.some((text) => /json/i.test(text))) return null;
  const rule = "must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
  return refuse(`Response input messages ${rule}`, 'input');
}

/** State that was made elsewhere is not known here. */
function historyBefore(fields: Fields, memory: Memory): History | Refusal {
  const { previous_response_id: previous, conversation, prompt } = fields;
  if (conversation != null) {
    const id = typeof conversation === 'string' ? conversation : String(fieldsOf(conversation)['id']);
    return refuse(`Conversation with id '${id}' not found.`, 'conversation', undefined, 404);
  }
  if (prompt != null) {
    return refuse(`Prompt with id '${String(fieldsOf(prompt)['id'])}' not found.`, 'prompt', undefined, 404);
  }
  for (const item of itemsOf(fields['input'])) {
    const parts = [item['content'], item['output']].flatMap((held) => (Array.isArray(held) ? held : []));
    const file = parts.map((part) => fieldsOf(part)['file_id']).find((id) => typeof id === 'string');
    if (file !== undefined) return refuse(`File with id '${String(file)}' not found.`, 'input', undefined, 404);
  }
  if (typeof previous !== 'string') return NO_HISTORY;
  const stored = recallResponse(memory, previous);
  if (stored !== null) return stored.history;
  const message = `Previous response with id '${previous}' not found.`;
  return refuse(message, 'previous_response_id', 'previous_response_not_found');
}

/** Tools the model may call and the caller runs. */
function offeredTools({ tools, tool_choice: choice }: Fields): OfferedTool[] {
  const { type: chosen, tools: allowed } = fieldsOf(choice);
  const some =
    chosen === 'allowed_tools' && Array.isArray(allowed) ? allowed.map((one) => fieldsOf(one)['name']) : null;
  return (Array.isArray(tools) ? tools : []).flatMap((tool: unknown): OfferedTool[] => {
    const { type, name, parameters } = fieldsOf(tool);
    if ((type !== 'function' && type !== 'custom') || typeof name !== 'string') return [];
    return some !== null && !some.includes(name) ? [] : [{ kind: type, name, parameters }];
  });
}

function toolChoiceOf(choice: unknown): SimRequest['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  const { type, name, mode } = fieldsOf(choice);
  if ((type === 'function' || type === 'custom') && typeof name === 'string') return { name };
  return type === 'allowed_tools' && mode === 'required' ? 'required' : 'auto';
}

function schemaOf(format: Fields): unknown {
  if (format['type'] === 'json_object') return {};
  return format['type'] === 'json_schema' ? format['schema'] : null;
}

function lastUserText(items: readonly Fields[]): string {
  return textOf(items.findLast(({ role }) => role === 'user')?.['content']);
}

function lastRole(items: readonly Fields[]): string | null {
  const last = fieldsOf(items.at(-1));
  if (/_output$/.test(String(last['type']))) return 'tool';
  return typeof last['role'] === 'string' ? last['role'] : null;
}

/** The texts' tokens, and some per item. */
function countTokens({ instructions }: Fields, items: readonly Fields[]): number {
  let count = 3 + tokensOf(textOf(instructions));
  for (const item of items) {
    const { content, output, arguments: input } = item;
    count += 4 + tokensOf(textOf(content)) + tokensOf(textOf(output)) + tokensOf(textOf(input));
  }
  return count;
}
