import { describe, expect, it } from 'vitest';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { requestAsks } from './asks.ts';
import { readRequest } from './request.ts';

const TEXT = [{ role: 'user', content: 'hi' }];
const NOTHING = { maxOutputTokens: null, answers: 1, mediaParts: 0, audioIn: false, audioOut: false };

function asks(fields: object, degrade: Degrade | null = null) {
  const read = readRequest(Buffer.from(JSON.stringify({ model: 'm', messages: TEXT, ...fields })));
  if (!read.ok) throw new Error(read.error.message);
  return requestAsks(read.value, degrade);
}

const parts = (...content: object[]) => ({ messages: [{ role: 'user', content }] });

describe('D-4, G-4: what a request asks for', () => {
  it.each<[string, object, Degrade | null, object]>([
    ['nothing in particular', {}, null, {}],
    ['an answer no longer than max_tokens', { max_tokens: 100 }, null, { maxOutputTokens: 100 }],
    ['or than max_completion_tokens', { max_completion_tokens: 70 }, null, { maxOutputTokens: 70 }],
    ['of both names the larger', { max_completion_tokens: 70, max_tokens: 100 }, null, { maxOutputTokens: 100 }],
    ['what is no count bounds nothing', { max_tokens: '5', max_completion_tokens: -1 }, null, {}],
    ['several answers', { n: 3 }, null, { answers: 3 }],
    ['R-4: lowered by degrade', { max_tokens: 100 }, { max_output_tokens: 40 }, { maxOutputTokens: 40 }],
    ['R-4: never raised by it', { max_tokens: 10 }, { max_output_tokens: 40 }, { maxOutputTokens: 10 }],
    ['R-4: bounded by it alone', {}, { max_output_tokens: 40 }, { maxOutputTokens: 40 }],
    ['R-4: unbounded once dropped', { max_tokens: 10, n: 2 }, { drop_params: ['max_tokens', 'n'] }, {}],
    ['sound in the answer', { modalities: ['text', 'audio'], audio: { voice: 'v' } }, null, { audioOut: true }],
    ['R-4: no sound once dropped', { audio: { voice: 'v' } }, { drop_params: ['audio'] }, {}],
    [
      'media, by the piece',
      parts({ type: 'image_url', image_url: { url: 'u' } }, { type: 'text', text: 't' }, { type: 'file', file: {} }),
      null,
      { mediaParts: 2 },
    ],
    ['sound in the question', parts({ type: 'input_audio', input_audio: {} }), null, { mediaParts: 1, audioIn: true }],
    ['a video has sound', parts({ type: 'video_url', video_url: {} }), null, { mediaParts: 1, audioIn: true }],
  ])('%s', (_what, fields, degrade, expected) => {
    expect(asks(fields, degrade)).toEqual({ ...NOTHING, ...expected });
  });
});
