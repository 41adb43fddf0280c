import { expect, it } from 'vitest';
import { staticAnswer } from './static-answer.ts';

const text = { text: 'Back "soon"\n', id: 'req_1', model: 'understudy/default', createdAt: 1_700_000_000_999, n: 1 };

function parsed(n: number): Record<string, unknown> {
  const { view } = staticAnswer({ ...text, n });
  return JSON.parse(Buffer.from(view.bytes).toString()) as Record<string, unknown>;
}

it('E-4: a whole answer as a model would have written it, that used nothing', () => {
  expect(parsed(1)).toEqual({
    id: 'chatcmpl-req_1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'understudy/default',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Back "soon"\n', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  });
  expect(staticAnswer(text)).toMatchObject({ content: 'content', finishReasons: ['stop'], usage: { output: 0 } });
});

it('E-4: as many choices as were asked for, within reason', () => {
  expect(parsed(3)['choices']).toMatchObject([{ index: 0 }, { index: 1 }, { index: 2 }]);
  expect(parsed(1e9)['choices']).toHaveLength(128);
});
