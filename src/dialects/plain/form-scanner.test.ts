import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { boundaryOf, isForm, writeForm } from './form-codec.ts';
import { FormScanner } from './form-scanner.ts';

const BOUNDARY = 'x-7d29';

function field(name: string, value: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

function file(name: string, content: string, head = 'filename="a.png"\r\nContent-Type: image/png'): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; ${head}\r\n\r\n${content}\r\n`;
}

const END = `--${BOUNDARY}--\r\n`;

function scan(text: string, size = text.length) {
  const bytes = Buffer.from(text, 'latin1');
  const scanner = new FormScanner(BOUNDARY);
  for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
  const fields = scanner.finish();
  return {
    scanner,
    fields: typeof fields === 'string' ? fields : (JSON.parse(Buffer.from(fields).toString()) as object),
  };
}

const sha = (text: string): string => createHash('sha256').update(text, 'latin1').digest('hex');

// Line breaks, dashes and half a delimiter inside of the file.
const CONTENT = `\x89PNG\r\n--x-7d2\r\n--\r\n\r\n--${BOUNDARY.slice(0, 3)}\0\xff`;
const FORM = `${field('model', 'm')}${file('image', CONTENT)}${field('prompt', 'a hÃ¼t')}${field('empty', '')}${END}`;

describe('reading forms', () => {
  it('any split of the bytes gives the same parts and fields', () => {
    const whole = scan(FORM);
    expect(whole.fields).toEqual({
      model: 'm',
      image: { filename: 'a.png', content_type: 'image/png', bytes: CONTENT.length, sha256: sha(CONTENT) },
      prompt: 'a hüt',
      empty: '',
    });
    for (let size = 1; size <= 64; size += 1) {
      const again = scan(FORM, size);
      expect([size, again.fields, again.scanner.parts]).toEqual([size, whole.fields, whole.scanner.parts]);
    }
  });

  it('parts lie where they are said to lie', () => {
    const { scanner } = scan(FORM);
    const spans = scanner.parts.map(({ name, isFile, start, valueStart, valueEnd, end }) => ({
      name,
      isFile,
      value: FORM.slice(valueStart, valueEnd),
      from: FORM.slice(start, start + 8),
      next: FORM.slice(end, end + 8),
    }));
    const delimiter = `--${BOUNDARY}`;
    expect(spans).toEqual([
      { name: 'model', isFile: false, value: 'm', from: delimiter, next: delimiter },
      { name: 'image', isFile: true, value: CONTENT, from: delimiter, next: delimiter },
      { name: 'prompt', isFile: false, value: 'a hÃ¼t', from: delimiter, next: delimiter },
      { name: 'empty', isFile: false, value: '', from: delimiter, next: delimiter },
    ]);
  });

  it('C-1: the gateway’s own fields, as clients write structures into forms', () => {
    const own = [
      field('models[]', 'a'),
      field('models[]', '{"model":"b","timeout_ms":2000}'),
      field('redundancy[on][]', 'timeout'),
      field('redundancy[on][]', 'rate_limit'),
      field('redundancy[timeout_ms]', '30000'),
      field('stream', 'true'),
      field('n', '2'),
      field('size', '2'),
      field('user', 'true'),
    ].join('');
    expect(scan(own + END).fields).toEqual({
      models: ['a', { model: 'b', timeout_ms: 2000 }],
      redundancy: { on: ['timeout', 'rate_limit'], timeout_ms: 30000 },
      stream: true,
      n: 2,
      size: '2',
      user: 'true',
    });
  });

  it('names that come several times are lists; names of objects’ own members are names like others', () => {
    const odd = field('__proto__', 'p') + field('constructor', 'c');
    const { fields } = scan(
      field('timestamp_granularities[]', 'word') + field('timestamp_granularities[]', 'segment') + odd + END,
    );
    expect(Object.entries(fields)).toEqual([
      ['timestamp_granularities[]', ['word', 'segment']],
      ['__proto__', 'p'],
      ['constructor', 'c'],
    ]);
  });

  it('what browsers and libraries write differently is the same', () => {
    const bare = `preamble\r\n--${BOUNDARY}  \r\ncontent-disposition:form-data;name=prompt\r\n\r\nhi\r\n`;
    const quoted = `--${BOUNDARY}\r\nX-Other: 1\r\nContent-Disposition: form-data; filename*=utf-8''x; name="a%22b\\"c"\r\n\r\nz\r\n`;
    expect(scan(`${bare}${quoted}${END}epilogue`).fields).toMatchObject({ prompt: 'hi', 'a"b"c': { bytes: 1 } });
  });

  it.each([
    ['no closing delimiter', field('a', '1'), /closing delimiter/],
    ['nothing', '', /closing delimiter/],
    ['a part without a name', `--${BOUNDARY}\r\nContent-Type: text/plain\r\n\r\nx\r\n${END}`, /no name/],
    ['a part without headers', `--${BOUNDARY}\r\n\r\nx\r\n${END}`, /no name/],
    ['headers without end', `--${BOUNDARY}\r\n${'x'.repeat(20_000)}`, /headers of a part/],
    ['other bytes behind a delimiter', `--${BOUNDARY}abc\r\n\r\n${END}`, /followed by other bytes/],
    ['two models', field('model', 'a') + field('model', 'b') + END, /`model` is there twice/],
    ['a field that is no text', field('prompt', '\xff\xfe') + END, /not valid UTF-8/],
    ['too long a field', field('prompt', 'x'.repeat(1_100_000)) + END, /more than 1048576 bytes/],
    ['too many parts', field('a', '1').repeat(1001) + END, /more than 1000 parts/],
  ])('E-5: %s is told in words', (_what, text, message) => {
    for (const size of [text.length || 1, 1000]) expect(scan(text, size).fields).toMatch(message);
  });

  it('a file of any length takes no memory', () => {
    const scanner = new FormScanner(BOUNDARY);
    scanner.push(Buffer.from(field('model', 'm') + file('image', '').slice(0, -2)));
    const before = process.memoryUsage();
    const megabyte = Buffer.alloc(1024 * 1024, 1);
    for (let i = 0; i < 64; i += 1) scanner.push(megabyte);
    const after = process.memoryUsage();
    scanner.push(Buffer.from(`\r\n${END}`));
    expect(JSON.parse(Buffer.from(scanner.finish()).toString())).toMatchObject({ image: { bytes: 64 * 1024 * 1024 } });
    expect(after.heapUsed - before.heapUsed).toBeLessThan(16 * 1024 * 1024);
  });
});

describe('writing forms', () => {
  const written = (
    text: string,
    model: string,
    without: string[] = [],
    contentType = `multipart/form-data; boundary=${BOUNDARY}`,
  ) => {
    const { scanner } = scan(text);
    const body = { length: text.length, read: () => expect.unreachable() };
    const { pieces, contentType: type } = writeForm(
      { contentType, parts: scanner.parts, body },
      model,
      new Set(without),
    );
    expect(type).toBe(contentType);
    return (pieces ?? [])
      .map((piece) =>
        piece instanceof Uint8Array ? Buffer.from(piece).toString() : text.slice(piece.start, piece.end),
      )
      .join('');
  };

  it('the model is exchanged, all else stays byte for byte', () => {
    expect(written(FORM, 'upstream')).toBe(FORM.replace('\r\n\r\nm\r\n', '\r\n\r\nupstream\r\n'));
  });

  it('C-1: what is the gateway’s own leaves no trace, wherever it stands', () => {
    const own = field('models[]', 'a');
    const redundancy = field('redundancy[on][]', 'timeout');
    const plain = field('model', 'm') + file('image', CONTENT);
    const bare = plain.replace('\r\n\r\nm\r\n', '\r\n\r\nu\r\n') + END;
    for (const text of [
      own + plain + redundancy + END,
      plain + own + redundancy + END,
      own + redundancy + plain + END,
    ]) {
      expect(written(text, 'u', ['models', 'redundancy'])).toBe(bare);
    }
  });

  it('dialects §1.1: a form whose path names the model gets a part of its own', () => {
    const text = file('file', CONTENT) + END;
    expect(written(text, 'u')).toBe(field('model', 'u') + text);
    expect(scan(written(text, 'u')).fields).toMatchObject({ model: 'u', file: { sha256: sha(CONTENT) } });
  });

  it.each([
    ['multipart/form-data; boundary=abc', true, 'abc'],
    ['Multipart/Form-Data;charset=utf-8; Boundary="a b:c"', true, 'a b:c'],
    ['multipart/form-data', true, null],
    ['multipart/mixed; boundary=abc', false, 'abc'],
    ['application/json', false, null],
  ])('%s', (type, form, boundary) => {
    expect([isForm(type), boundaryOf(type)]).toEqual([form, boundary]);
  });
});
