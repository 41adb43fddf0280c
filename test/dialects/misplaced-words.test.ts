/** Chat answers whose words stand where no client reads them: never taken for an answer without words (T-10, F-5). */
import { describe, expect, it } from 'vitest';
import { laneOf } from '../../src/dialects/lanes.ts';
import { chunk, DONE, ROLE } from '../support/chat-tap-feed.ts';
import { cross, OPTIONS, requestOf, SPEAKERS, TARGET, verdictOf } from './crossings.ts';

const beside = (choice: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion', model: 'up', choices: [{ index: 0, ...choice, finish_reason: finish }] })}\n\n`;
const CALL = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"fjord"}' } };

describe.each(SPEAKERS)('to a client of $client.name', (speaker) => {
  const told = (events: readonly string[], options = OPTIONS) => {
    const crossed = cross(speaker, 'openai-chat', [Buffer.from(events.join(''))], options);
    return { verdict: verdictOf(crossed.tap), text: crossed.told.toString() };
  };

  it.each<[string, string[]]>([
    ['alone', [beside({ message: { role: 'assistant', content: 'fjord' } }, 'stop')]],
    ['behind the role', [ROLE, beside({ message: { role: 'assistant', content: 'fjord' } }, 'stop')]],
    ['beside an empty delta', [ROLE, beside({ message: { content: 'fjord' }, delta: {} }, 'stop')]],
    ['a call', [beside({ message: { role: 'assistant', content: null, tool_calls: [CALL] } }, 'tool_calls')]],
  ])('F-5: a whole answer in one event is told as a stream: %s', (_what, events) => {
    for (const holdAll of [false, true]) {
      const { verdict, text } = told([...events, DONE], { ...OPTIONS, holdAll });
      expect(verdict).toBe('content, whole');
      expect(text).toContain('fjord');
      if (speaker.client.name !== 'chat') continue;
      expect(text).not.toContain('"message"');
      expect(text).not.toContain('"chat.completion"');
      if (text.includes('look')) expect(text).toContain('"index":0}]}');
    }
  });

  it.each<[string, string[]]>([
    ['a message that is not the last', [beside({ message: { content: 'fjord' } }), beside({ delta: {} }, 'stop')]],
    [
      'messages that may go on or repeat',
      [beside({ message: { content: 'fj' } }), beside({ message: { content: 'fjord' } }, 'stop')],
    ],
    ['text of another endpoint', [beside({ text: 'fjord' }), beside({ text: '' }, 'stop')]],
    ['text of another endpoint, at once', [beside({ text: 'fjord' }, 'stop')]],
  ])('T-10: %s is unreadable', (_what, events) => {
    expect(told([ROLE, ...events, DONE]).verdict).toBe('nothing, malformed');
  });

  it('T-8: a message that repeats what the deltas said is nothing', () => {
    const events = [
      beside({ message: { role: 'assistant', content: 'fj' }, delta: { role: 'assistant', content: 'fj' } }),
      beside({ message: { role: 'assistant', content: 'fjord' }, delta: { content: 'ord' } }),
      beside({ message: { role: 'assistant', content: 'fjord' }, delta: {} }, 'stop'),
    ];
    const { verdict, text } = told([...events, DONE]);
    expect(verdict).toBe('content, whole');
    // Natively it passes as it came, in two of the events; whole it stands elsewhere only in the ends of Responses events.
    const times: Record<string, number> = { chat: 2, responses: 4 };
    expect(text.split('fjord').length - 1).toBe(times[speaker.client.name] ?? 0);
  });

  it('T-10: a message behind content, which may go on with it, interrupts', () => {
    const events = [chunk({ content: 'fj' }), beside({ message: { content: 'ord' } }), chunk({}, 'stop'), DONE];
    expect(told(events).verdict).toBe('content, malformed');
  });

  it.each<[string, object]>([
    ['a delta', { delta: { content: 'fjord' } }],
    ['text', { text: 'fjord' }],
    ['text beside an empty message', { text: 'fjord', message: { role: 'assistant', content: '' } }],
  ])('F-5: a whole answer with %s for its message is none', (_what, choice) => {
    const request = requestOf(speaker, { stream: false });
    const lane = laneOf(speaker.codec, 'openai-chat')!.open({
      request,
      target: TARGET,
      servedModel: 'm',
      id: 'r',
      createdAt: 0,
    });
    lane.writeUpstream(request, { target: TARGET, degrade: null, injectUsage: false });
    const read = (more: object) =>
      lane.readAnswer(
        Buffer.from(JSON.stringify({ choices: [{ index: 0, ...choice, ...more, finish_reason: 'stop' }] })),
      );
    expect(read({})).toBeNull();
    expect(read({ message: { role: 'assistant', content: 'all' } })).not.toBeNull();
    expect(read({ text: '', delta: {}, message: { role: 'assistant', content: '' } })?.content).toBe('empty');
  });
});
