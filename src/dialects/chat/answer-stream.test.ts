import { describe, expect, it } from 'vitest';
import { answerToStream } from './answer-stream.ts';
import { readAnswer } from './response.ts';

const write = { servedModel: 'm', report: null, classic: false };

function answerWith(choices: number, beside: Record<string, unknown>): Uint8Array {
  const list = Array.from({ length: choices }, (_, index) => ({
    index,
    message: { content: 'x' },
    finish_reason: 'stop',
  }));
  return Buffer.from(JSON.stringify({ id: 'c1', created: 1, ...beside, choices: list }));
}

describe('F-5: a whole answer made into a stream', () => {
  it.each([
    ['one long field', { x: 'y'.repeat(500_000) }],
    ['thousands of fields', Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`f${i}`, 'y'.repeat(200)]))],
    ['a long id', { id: 'i'.repeat(500_000) }],
  ])('T-7: %s beside many choices is said once, not with each of them', (_name, beside) => {
    const bytes = answerWith(500, beside);
    const answer = readAnswer(bytes);
    expect(answer).not.toBeNull();
    const stream = Buffer.from(answerToStream(answer!, write, { includeUsage: false })).toString('utf8');
    expect(stream.length).toBeLessThan(bytes.length + 500_000);
    const chunks = stream.split('\n\n').filter((line) => line.startsWith('data: {'));
    expect(chunks).toHaveLength(1500);
    expect(JSON.parse(chunks[0]!.slice(6))).toMatchObject(beside);
    expect(JSON.parse(chunks[1499]!.slice(6))).toMatchObject({
      created: 1,
      model: 'm',
      object: 'chat.completion.chunk',
    });
  });

  it('T-7: a choice with a hundred thousand fields is written in one go over them', () => {
    const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, i]));
    const choice = { index: 0, ...fields, message: { content: 'x' }, finish_reason: 'stop' };
    const answer = readAnswer(Buffer.from(JSON.stringify({ choices: [choice] })));
    const stream = Buffer.from(answerToStream(answer!, write, { includeUsage: false })).toString('utf8');
    expect(stream.match(/"f99999":99999/g)).toHaveLength(1);
  });

  it('T-8: a usual envelope stands in every chunk', () => {
    const beside = { system_fingerprint: 'fp', service_tier: 'default', x: { y: 1 } };
    const stream = Buffer.from(
      answerToStream(readAnswer(answerWith(2, beside))!, write, { includeUsage: false }),
    ).toString('utf8');
    const chunks = stream.split('\n\n').filter((line) => line.startsWith('data: {'));
    for (const chunk of chunks) expect(JSON.parse(chunk.slice(6))).toMatchObject({ id: 'c1', created: 1, ...beside });
  });

  it('F-1: more choices than any API gives are no answer', () => {
    expect(readAnswer(answerWith(1024, {}))).not.toBeNull();
    expect(readAnswer(answerWith(1025, {}))).toBeNull();
  });
});
