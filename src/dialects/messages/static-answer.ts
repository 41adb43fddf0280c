/** A configured text as a whole message that no model wrote (E-4). */
import { jsonBytes } from '../bytes/text.ts';
import type { Answer, StaticText } from '../contract.ts';
import { readAnswer } from './response.ts';
import { writeUsage } from './usage.ts';

export function staticAnswer({ text, id, model }: StaticText): Answer {
  const answer = readAnswer(
    jsonBytes({
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: writeUsage(null),
    }),
  );
  if (answer === null) throw new Error('a static answer can not be read');
  return answer;
}
