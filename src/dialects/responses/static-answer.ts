/** A configured text as a whole answer that no model wrote (E-4). */
import { jsonBytes } from '../bytes/text.ts';
import type { Answer, StaticText } from '../contract.ts';
import { readAnswer } from './response.ts';
import { writeUsage } from './usage.ts';

const NO_TOKENS = {
  input: 0,
  output: 0,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
  audioInput: null,
  audioOutput: null,
  total: 0,
  estimated: false,
};

export function staticAnswer({ text, id, model, createdAt }: StaticText): Answer {
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  const answer = readAnswer(
    jsonBytes({
      id: `resp_${id}`,
      object: 'response',
      created_at: Math.floor(createdAt / 1000),
      status: 'completed',
      error: null,
      incomplete_details: null,
      model,
      output: [{ id: `msg_${id}`, type: 'message', status: 'completed', role: 'assistant', content: [part] }],
      parallel_tool_calls: true,
      previous_response_id: null,
      store: false,
      tool_choice: 'auto',
      tools: [],
      usage: writeUsage(NO_TOKENS),
    }),
  );
  if (answer === null) throw new Error('a static answer can not be read');
  return answer;
}
