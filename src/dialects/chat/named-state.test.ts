import { describe, expect, it } from 'vitest';
import { isScanError, scanObject } from '../bytes/body-view.ts';
import { namedState } from './named-state.ts';

function named(fields: string) {
  const view = scanObject(Buffer.from(`{"model":"m"${fields}}`));
  if (isScanError(view)) throw new Error(view.message);
  return namedState(view);
}
const withParts = (parts: string) => named(`,"messages":[{"role":"user","content":"a"},{"content":${parts}}]`);

describe('P-8: state a request names', () => {
  it.each(['previous_response_id', 'conversation', 'container', 'cached_content', 'cachedContent'])('%s', (field) => {
    expect(named(`,"messages":[],"${field}":"x_1"`)).toEqual({ param: field, id: 'x_1' });
    expect(named(`,"messages":[],"${field}":{"id":"x_1"}`)).toEqual({ param: field, id: null });
    expect(named(`,"messages":[],"${field}":null`)).toBeNull();
  });

  it('a file uploaded beforehand, wherever in a part, also behind escapes', () => {
    const file = '{"type":"file","file":{"file_id":"file-1"}}';
    expect(withParts(`[{"type":"text","text":"a"},${file}]`)).toEqual({
      param: 'messages[1].content[1]',
      id: 'file-1',
    });
    expect(withParts('[{"type":"input_image","file_id":"file-1"}]')).toEqual({
      param: 'messages[1].content[0]',
      id: 'file-1',
    });
    expect(withParts('[{"type":"file","file":{"file\\u005fid":"file-1"}}]')).toEqual({
      param: 'messages[1].content[0]',
      id: 'file-1',
    });
  });

  it('what is sent along, or only spoken of, names nothing', () => {
    expect(withParts('[{"type":"file","file":{"file_data":"data:;base64,AA","filename":"file_id"}}]')).toBeNull();
    expect(withParts('[{"type":"text","text":"the \\"file_id\\": \\"file-1\\""}]')).toBeNull();
    expect(withParts('[{"type":"file","file":{"file_id":"","file_data":"x"}}]')).toBeNull();
    expect(withParts('"file_id"')).toBeNull();
    expect(named(',"messages":[{"tool_calls":[{"function":{"arguments":"{\\"file_id\\":1}"}}]}]')).toBeNull();
    expect(named(',"messages":[],"metadata":{"file_id":"file-1","container":"c"}')).toBeNull();
  });

  it('a cached context among the extras', () => {
    expect(named(',"messages":[],"extra_body":{"google":{"cached_content":"cachedContents/1"}}')).toEqual({
      param: 'extra_body',
      id: 'cachedContents/1',
    });
    expect(named(',"messages":[],"extra_body":{"google":{"thinking_config":{"a":"b"}}}')).toBeNull();
  });
});
