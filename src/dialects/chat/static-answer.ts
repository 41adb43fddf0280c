/** A configured text as a whole answer that no model wrote (E-4). */

import { jsonBytes } from '../bytes/text.ts';
import type { Answer, StaticText } from '../contract.ts';
import { readAnswer } from './response.ts';

/** Who asks for more answers at once gets so many. */
const MOST_CHOICES = 128;

export function staticAnswer({ text, id, model, createdAt, n }: StaticText): Answer {
  const choices = Array.from({ length: Math.min(Math.max(n, 1), MOST_CHOICES) }, (_, index) => ({
    index,
    message: { role: 'assistant', content: text, refusal: null },
    logprobs: null,
    finish_reason: 'stop',
  }));
  const answer = readAnswer(
    jsonBytes({
      id: `chatcmpl-${id}`,
      object: 'chat.completion',
      created: Math.floor(createdAt / 1000),
      model,
      choices,
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    }),
  );
  if (answer === null) throw new Error('a static answer can not be read');
  return answer;
}
