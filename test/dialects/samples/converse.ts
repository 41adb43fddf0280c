/** Streams of Converse. */
import {
  callBlock,
  converseError,
  converseEvent,
  converseException,
  converseStream,
  ending,
  OPENING,
  textBlock,
  thoughtBlock,
} from '../../support/converse-frames.ts';
import { DONE, type Sample, type Verdict } from './sample.ts';

const json = JSON.stringify;

function converse(
  name: string,
  verdict: Verdict,
  blocks: readonly (string | Buffer)[],
  more: Partial<Sample> = {},
): Sample {
  return { name: `converse: ${name}`, dialect: 'bedrock', verdict, blocks, ...more };
}
const B_OPEN = converseStream(OPENING);
const B_USAGE = {
  inputTokens: 15,
  cacheReadInputTokens: 3,
  cacheWriteInputTokens: 2,
  outputTokens: 7,
  totalTokens: 27,
};
const B_TEXT = textBlock(0, 'Hi', '!').map(([name, payload]) => converseEvent(name, payload));
const B_END = ending('end_turn', B_USAGE).map(([name, payload]) => converseEvent(name, payload));
const spoiled = (frame: Buffer, at: number): Buffer => {
  const copy = Buffer.from(frame);
  copy[at < 0 ? copy.length + at : at]! ^= 0x40;
  return copy;
};
const frames = (told: Parameters<typeof converseStream>[0]): Buffer[] =>
  told.map(([name, payload]) => converseEvent(name, payload));

export const CONVERSE: readonly Sample[] = [
  converse('plain', 'ok', [B_OPEN, ...B_TEXT, ...B_END], { commit: 1, usage: [20, 7, 3] }),
  converse(
    'start of a text block',
    'ok',
    [B_OPEN, converseEvent('contentBlockStart', { contentBlockIndex: 0, start: {} }), ...B_TEXT, ...B_END],
    { commit: 2 },
  ),
  converse('no metadata', 'ok', [B_OPEN, ...B_TEXT, B_END[0]!], { commit: 1, usage: null }),
  converse('exception first', 'failover', [converseException('throttlingException', { message: 'Too many requests' })]),
  converse('exception behind the start', 'failover', [
    B_OPEN,
    converseException('modelStreamErrorException', { message: 'x', originalStatusCode: 424, originalMessage: 'y' }),
  ]),
  converse(
    'exception later',
    'error_after_commit',
    [B_OPEN, B_TEXT[0]!, converseException('internalServerException', { message: 'x' })],
    { commit: 1 },
  ),
  converse(
    'exception behind the stop',
    'error_after_commit',
    [B_OPEN, ...B_TEXT, B_END[0]!, converseException('internalServerException', { message: 'x' })],
    { commit: 1 },
  ),
  converse('exception whose words are none', 'failover', [
    B_OPEN,
    converseException('serviceUnavailableException', 'not json'),
  ]),
  converse('error by headers', 'failover', [B_OPEN, converseError('InternalError', 'x')]),
  converse('bad sum first', 'failover', [spoiled(B_OPEN, -1), ...B_TEXT, ...B_END]),
  converse('bad sum later', 'truncated_after_commit', [B_OPEN, B_TEXT[0]!, spoiled(B_TEXT[1]!, -2), ...B_END], {
    commit: 1,
  }),
  converse('bad sum of a prelude', 'truncated_after_commit', [B_OPEN, B_TEXT[0]!, spoiled(B_TEXT[1]!, 9), ...B_END], {
    commit: 1,
  }),
  converse('bad payload', 'truncated_after_commit', [B_OPEN, B_TEXT[0]!, spoiled(B_TEXT[1]!, -8), ...B_END], {
    commit: 1,
  }),
  converse('cut', 'truncated_after_commit', [B_OPEN, ...B_TEXT], { commit: 1 }),
  converse('cut inside a frame', 'truncated_after_commit', [B_OPEN, ...B_TEXT, B_END[0]!.subarray(0, 30)], {
    commit: 1,
  }),
  converse('cut before content', 'failover', [B_OPEN]),
  converse('cut inside the metadata', 'ok_unterminated', [B_OPEN, ...B_TEXT, B_END[0]!, B_END[1]!.subarray(0, 40)], {
    commit: 1,
  }),
  converse(
    'calls',
    'ok',
    [
      B_OPEN,
      ...frames(callBlock(0, 'tooluse_1', 'f', '{"a"', ':1}')),
      ...frames(callBlock(1, 'tooluse_2', 'g', '')),
      ...frames(ending('tool_use', B_USAGE)),
    ],
    { commit: 1 },
  ),
  converse(
    'call cut',
    'truncated_after_commit',
    [B_OPEN, ...frames(callBlock(0, 'tooluse_1', 'f', '{"a"')).slice(0, 2)],
    { commit: 1 },
  ),
  converse(
    'thought with its signature',
    'ok',
    [B_OPEN, ...frames(thoughtBlock(0, { text: 'hm' }, { signature: 'c2ln' })), ...frames(textBlock(1, 'x')), ...B_END],
    { commit: 1 },
  ),
  converse(
    'signature alone',
    'ok',
    [B_OPEN, ...frames(thoughtBlock(0, { signature: 'c2ln' })), ...frames(textBlock(1, 'x')), ...B_END],
    { commit: 1 },
  ),
  converse('guardrail before a word', 'ok_content_filter', [
    B_OPEN,
    ...frames(ending('guardrail_intervened', B_USAGE)),
  ]),
  converse('filtered before a word', 'ok_content_filter', [B_OPEN, ...frames(ending('content_filtered', B_USAGE))]),
  converse('malformed call, first', 'failover', [B_OPEN, ...frames(ending('malformed_tool_use', B_USAGE))]),
  converse(
    'malformed answer, later',
    'error_after_commit',
    [B_OPEN, ...B_TEXT, ...frames(ending('malformed_model_output', B_USAGE))],
    { commit: 1 },
  ),
  converse('nothing said', 'ok_empty', [B_OPEN, ...B_END]),
  converse('empty deltas', 'ok', [B_OPEN, ...frames(textBlock(0, '', 'x')), ...B_END], { commit: 2 }),
  converse('unknown event', 'ok', [B_OPEN, converseEvent('moodEvent', { mood: 'x' }), ...B_TEXT, ...B_END], {
    commit: 2,
  }),
  converse('JSON error in place of frames', 'failover', [
    json({ message: 'Too many tokens, please wait before trying again.' }),
  ]),
  converse('events in place of frames', 'failover', [
    'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n',
    DONE,
  ]),
  converse('no byte', 'failover', []),
  converse('stop with a block open', 'ok', [B_OPEN, B_TEXT[0]!, ...B_END], { commit: 1 }),
];
