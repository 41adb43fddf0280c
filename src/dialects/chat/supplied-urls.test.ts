import { describe, expect, it } from 'vitest';
import { isScanError, scanObject } from '../bytes/body-view.ts';
import { MAX_URLS, suppliedUrls } from './supplied-urls.ts';

function urls(messages: string) {
  const view = scanObject(Buffer.from(`{"model":"m","messages":${messages},"metadata":{"url":"http://10.0.0.1/"}}`));
  if (isScanError(view)) throw new Error(view.message);
  return suppliedUrls(view);
}
const found = (messages: string) => urls(messages) ?? [];
const ofPart = (part: string) =>
  found(`[{"role":"user","content":[{"type":"text","text":"look"},${part}]}]`).map(({ url }) => url);

describe('G-9: URLs in a request', () => {
  it.each([
    ['an image', '{"type":"image_url","image_url":{"url":"http://a.example/1"}}', 'http://a.example/1'],
    ['an image as plain text', '{"type":"image_url","image_url":"http://a.example/2"}', 'http://a.example/2'],
    ['a video', '{"type":"video_url","video_url":{"url":"http://a.example/3"}}', 'http://a.example/3'],
    [
      'audio',
      '{"type":"input_audio","input_audio":{"data":"https://a.example/4","format":"mp3"}}',
      'https://a.example/4',
    ],
    ['a file', '{"type":"file","file":{"file_data":"https://a.example/5"}}', 'https://a.example/5'],
    ['a member nobody knows', '{"type":"x","y":{"z":[["ftp://a.example/6"]]}}', 'ftp://a.example/6'],
    ['a part that says it is text', '{"type":"text","image_url":{"url":"http://a.example/7"}}', 'http://a.example/7'],
    ['escaped slashes', '{"image_url":{"url":"http:\\/\\/a.example\\/8"}}', 'http://a.example/8'],
    ['an escaped scheme', '{"image_url":{"url":"\\u0068ttp://a.example/9"}}', 'http://a.example/9'],
    ['an escaped colon', '{"image_url":{"url":"http\\u003a//a.example/10"}}', 'http://a.example/10'],
    ['an escaped key', '{"\\u0069mage_url":{"\\u0075rl":"http://a.example/11"}}', 'http://a.example/11'],
    ['blanks in front', '{"image_url":{"url":"   http://a.example/12"}}', '   http://a.example/12'],
    ['a line break inside', '{"image_url":{"url":"ht\\ntp://a.example/13"}}', 'ht\ntp://a.example/13'],
    [
      'control characters in front',
      '{"image_url":{"url":"\\u0000\\u001fhttp://a.example/15"}}',
      '\0\x1fhttp://a.example/15',
    ],
    ['capitals', '{"image_url":{"url":"HTTP://A.EXAMPLE/14"}}', 'HTTP://A.EXAMPLE/14'],
  ])('finds %s', (_, part, url) => {
    expect(ofPart(part)).toEqual([url]);
  });

  it('counts both of two members of one name: upstreams differ in which they read', () => {
    expect(ofPart('{"image_url":{"url":"http://a.example/1","url":"http://b.example/1"}}')).toHaveLength(2);
    const twice =
      '[{"role":"user","content":[{"image_url":"http://a.example"}],"content":[{"image_url":"http://b.example"}]}]';
    expect(found(twice)).toHaveLength(2);
  });

  it('says where they stand', () => {
    const list = found(
      '[{"role":"system","content":"hi"},{"content":[{"type":"text","text":""},{"image_url":{"url":"http://a.example"}},{"video":["http://b.example","http://c.example"]}]}]',
    );
    expect(list.map(({ param }) => param)).toEqual([
      'messages[1].content[1]',
      'messages[1].content[2]',
      'messages[1].content[2]',
    ]);
  });

  it.each([
    ['a text', '{"type":"text","text":"http://10.0.0.1/"}'],
    ['a refusal', '{"type":"refusal","refusal":"http://10.0.0.1/"}'],
    ['a name', '{"type":"file","file":{"filename":"http://10.0.0.1/"}}'],
    ['a data: URL', '{"image_url":{"url":"data:image/png;base64,AAAA"}}'],
    ['base64', '{"input_audio":{"data":"//uQxAAAAAAA=","format":"mp3"}}'],
    ['a long word before a colon', `{"x":"${'a'.repeat(60)}:b"}`],
    ['an escaped text', '{"caption":"\\u00e9t\\u00e9: a summer"}'],
    ['a line', '{"caption":"\\n one two"}'],
    ['a file id', '{"file":{"file_id":"file-abc"}}'],
  ])('leaves %s alone', (_, part) => {
    expect(ofPart(part)).toEqual([]);
  });

  it('leaves texts outside content parts alone', () => {
    expect(urls('[{"role":"user","content":"http://10.0.0.1/ is my server"}]')).toEqual([]);
    expect(urls('[{"role":"user","content":["http://10.0.0.1/"]}]')).toEqual([]);
    const citation = '{"role":"assistant","content":"x","annotations":[{"url_citation":{"url":"http://10.0.0.1/"}}]}';
    const call = '{"role":"assistant","tool_calls":[{"function":{"arguments":"http://10.0.0.1/"}}]}';
    expect(urls(`[${citation},${call}]`)).toEqual([]);
  });

  it('gives up on a body made of them, escaped texts counted', () => {
    const of = (count: number, part: string) => urls(`[{"content":[${new Array(count).fill(part).join(',')}]}]`);
    expect(of(MAX_URLS, '{"u":"http://a.example"}')).toHaveLength(MAX_URLS);
    expect(of(MAX_URLS + 1, '{"u":"http://a.example"}')).toBeNull();
    expect(of(MAX_URLS + 1, '{"u":"\\n"}')).toBeNull();
    expect(of(MAX_URLS + 1, '{"text":"hello"}')).toEqual([]);
  });
});
