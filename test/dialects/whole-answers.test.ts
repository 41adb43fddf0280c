/** Whole answers under 200 that are none, or say nothing: the same to every client, in whatever dialect they came. */
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/wire-names.ts';
import { laneOf } from '../../src/dialects/lanes.ts';
import { OPTIONS, requestOf, SPEAKERS, type Speaker, TARGET } from './crossings.ts';

function read(speaker: Speaker, dialect: Dialect, body: unknown): string | null {
  const request = requestOf(speaker, { stream: false });
  const place = {
    request,
    target: TARGET,
    servedModel: OPTIONS.servedModel,
    id: 'req_1',
    createdAt: 1_760_000_000_000,
  };
  const lane = laneOf(speaker.codec, dialect)!.open(place);
  lane.writeUpstream(request, { target: TARGET, degrade: null, injectUsage: false });
  const answer = lane.readAnswer(Buffer.from(JSON.stringify(body)));
  return answer === null || answer.finishReasons.some((reason) => lane.failedFinish(reason) !== null)
    ? null
    : answer.content;
}

const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up', content: [] as object[] };
const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'up', output: [], error: null };
const filtered = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
const choice = (inside: object): object => ({ object: 'chat.completion', choices: [{ index: 0, ...inside }] });

const ROWS: readonly (readonly [what: string, dialect: Dialect, body: unknown, expected: string | null])[] = [
  ['a choice with nothing in it', 'openai-chat', choice({ finish_reason: null }), null],
  ['a message of null without a finish', 'openai-chat', choice({ message: { content: null } }), null],
  ['nothing said, and stopped', 'openai-chat', choice({ message: { content: '' }, finish_reason: 'stop' }), 'empty'],
  ['filtered', 'openai-chat', choice({ message: { content: null }, finish_reason: 'content_filter' }), 'filtered'],
  ['failed', 'openai-chat', choice({ message: { content: 'par' }, finish_reason: 'error' }), null],
  ['filtered', 'openai-responses', { ...response, ...filtered }, 'filtered'],
  ['nothing said', 'openai-responses', { ...response, status: 'completed' }, 'empty'],
  ['still at work', 'openai-responses', { ...response, status: 'in_progress' }, null],
  ['no stop_reason', 'anthropic', { ...message, content: [{ type: 'text', text: 'x' }], stop_reason: null }, null],
  ['nothing said', 'anthropic', { ...message, stop_reason: 'end_turn' }, 'empty'],
  ['refused without a word', 'anthropic', { ...message, stop_reason: 'refusal' }, 'refusal'],
  ['prompt blocked', 'gemini', { promptFeedback: { blockReason: 'SAFETY' } }, 'filtered'],
  ['filtered', 'gemini', { candidates: [{ finishReason: 'PROHIBITED_CONTENT', index: 0 }] }, 'filtered'],
  ['a call gone wrong', 'gemini', { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] }, null],
  ['nothing and not why', 'gemini', { candidates: [{ index: 0 }] }, null],
  ['guarded', 'bedrock', { output: { message: { content: [] } }, stopReason: 'guardrail_intervened' }, 'filtered'],
  ['a call gone wrong', 'bedrock', { output: { message: { content: [] } }, stopReason: 'malformed_tool_use' }, null],
];

describe.each(SPEAKERS.map((speaker) => ({ speaker, name: speaker.client.name })))(
  'to a client of $name',
  ({ speaker }) => {
    it.each(ROWS)('F-5, F-6: %s (%s)', (_what, dialect, body, expected) => {
      expect(read(speaker, dialect, body)).toBe(expected);
    });
  },
);

/** Words, and not a word on why they end. */
const ENDLESS: readonly (readonly [Dialect, unknown])[] = [
  ['openai-chat', choice({ message: { content: 'x' }, finish_reason: null })],
  ['openai-chat', choice({ message: { content: 'x' } })],
  ['openai-chat', choice({ message: { content: null, tool_calls: [call()] }, finish_reason: null })],
  ['gemini', { candidates: [{ content: { parts: [{ text: 'x' }] } }] }],
];

function call(): object {
  return { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
}

describe.each(SPEAKERS.map((speaker) => ({ speaker, name: speaker.client.name })))(
  'in translation to a client of $name',
  ({ speaker }) => {
    const foreign = ENDLESS.filter(([dialect]) => dialect !== speaker.codec.dialect);
    it.each(foreign)(
      'T-5, dialects §14.2: an answer that says nothing of its end gets none made up (%s)',
      (dialect, body) => {
        expect(read(speaker, dialect, body)).toBeNull();
      },
    );
  },
);
