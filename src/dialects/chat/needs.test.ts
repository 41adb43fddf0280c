import { describe, expect, test } from 'vitest';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { isScanError, scanObject } from '../bytes/body-view.ts';
import { requestNeeds } from './needs.ts';

function needsOf(json: string, degrade: Degrade | null = null) {
  const view = scanObject(Buffer.from(json));
  if (isScanError(view)) throw new Error(view.message);
  return requestNeeds(view, degrade);
}

const features = (fields: string, degrade: Degrade | null = null): readonly string[] =>
  needsOf(`{"model":"m",${fields},"messages":[{"role":"user","content":"hi"}]}`, degrade).features;

describe('P-6: what a request needs', () => {
  test('P-6: features in use', () => {
    expect(
      features('"tools":[{}],"response_format":{"type":"json_schema"},"reasoning_effort":"high","logprobs":true'),
    ).toEqual(['tools', 'json_schema', 'reasoning', 'logprobs']);
    expect(
      features('"tools":[ ],"response_format":{"type":"text"},"reasoning_effort":"none","logprobs":false'),
    ).toEqual([]);
    expect(features('"functions":[{}],"tools":null,"response_format":null,"reasoning_effort":null')).toEqual(['tools']);
  });

  test('R-4: what `degrade` drops is not needed', () => {
    const asked = '"tools":[{}],"functions":[{}],"response_format":{"type":"json_object"},"top_logprobs":2';
    expect(features(asked, { drop_tools: true })).toEqual(['json_object', 'logprobs']);
    expect(features(asked, { drop_response_format: true, drop_params: ['top_logprobs'] })).toEqual(['tools']);
  });

  test('P-6: inputs in use, each once, whatever stands between them', () => {
    const part = (type: string): string => `{"type":"${type}","${type}":{"url":"data:"}}`;
    const messages = [
      '{"role":"system","content":"text"}',
      `{"role":"user","content":[${part('text')},${part('image_url')},7,${part('image_url')}]}`,
      `{"role":"user","content":[${part('input_audio')},${part('file')},${part('video_url')},{"type":null}]}`,
      'null',
    ];
    expect(needsOf(`{"messages":[${messages.join(' , ')}]}`).inputs).toEqual(['image', 'audio', 'file', 'video']);
    expect(needsOf('{"messages":[{"role":"user","content":"image_url"}]}').inputs).toEqual([]);
  });
});
