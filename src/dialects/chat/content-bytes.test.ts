/** What estimates go by: bytes of text, reasoning and calls. */
import { describe, expect, it } from 'vitest';
import { chunk, feed } from '../../../test/support/chat-tap-feed.ts';
import { readAnswer } from './response.ts';

describe('T-4, G-4: bytes of content, for answers nobody has counted', () => {
  it.each<[string, object, number]>([
    ['text', { content: 'twelve bytes' }, 12],
    ['reasoning', { reasoning_content: 'hmm' }, 3],
    ['a refusal', { refusal: 'no' }, 2],
    ['a call: name and arguments', { tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '1234' } }] }, 8],
    ['what sound says, not its bytes', { audio: { data: 'AAAAAAAAAAAA', transcript: 'hello' } }, 5],
    ['nothing', { role: 'assistant', content: '' }, 0],
  ])('%s', (_what, delta, bytes) => {
    const { tap } = feed([chunk(delta), chunk({}, 'stop'), 'data: [DONE]\n\n']);
    expect(tap.contentBytes).toBe(bytes);
    const body = { choices: [{ index: 0, message: delta, finish_reason: 'stop' }] };
    expect(readAnswer(Buffer.from(JSON.stringify(body)))?.contentBytes).toBe(bytes);
  });

  it('adds up over chunks and choices, each counted once wherever it is held', () => {
    const two = {
      choices: [
        { index: 0, delta: { content: 'ab' }, finish_reason: null },
        { index: 1, delta: { content: 'cde' }, finish_reason: null },
      ],
    };
    const { tap } = feed(
      [
        `data: ${JSON.stringify(two)}\n\n`,
        chunk({ content: 'f' }, 'stop'),
        // Content after a finish reason: what was held is released, and scanned again.
        chunk({ content: 'gh' }),
        'data: [DONE]\n\n',
      ],
      { n: 2 },
    );
    expect(tap.contentBytes).toBe(8);
  });
});
