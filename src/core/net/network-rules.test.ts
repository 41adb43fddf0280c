import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceptionFault, networkRules, PUBLIC_ONLY, refusedAddress, refusedHost, refusedUrl } from './network-rules.ts';

describe('URLs by their text', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://127.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://127.0.0.1./',
    'http://127.0.0.1:8080/x',
    'http://user:pass@127.0.0.1/',
    'http://8.8.8.8@127.0.0.1/',
    'http://0/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://[2002:a00:1::]/',
    'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/latest/meta-data',
    'http://169.254.169.254/latest/meta-data/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://168.63.129.16/',
    'http://１２７.０.０.１/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http:127.0.0.1',
    'http:/127.0.0.1',
    'http:///127.0.0.1/',
    'http:\\\\127.0.0.1\\x',
    '  \u0000http://127.0.0.1/',
    'ht\ttp://127.0\n.0.1/',
    'HTTPS://LOCALHOST/',
    'http://localhost',
    'http://localhost.',
    'http://localhost../',
    'http://ⓛocalhost/',
    'http://app.localhost:3000/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://METADATA.GOOGLE.INTERNAL./',
    'http://metadata/',
    'http://metadata.goog/',
    'http://host.docker.internal/',
    'http://redis:6379/',
    'http://printer.local/',
    'http://router.lan/',
    'http://nas.home.arpa/',
    'ws://10.0.0.1/',
    'ftp://10.0.0.1/',
    'gopher://127.0.0.1:70/',
    'gopher://0x7f.1/',
    'dict://localhost:11211/',
    'file:///etc/passwd',
    'file://localhost/etc/passwd',
  ])('G-9: %s is refused', (url) => {
    expect(refusedUrl(url, PUBLIC_ONLY)).not.toBeNull();
  });

  it.each([
    'http://example.com\\@127.0.0.1/',
    'http://127.0.0.1\\@example.com/',
    'http://example.com#@127.0.0.1/',
    'http://example.com?@127.0.0.1/',
    'http://a@example.com@127.0.0.1/',
    'http://127.0.0.1@a@example.com/',
    'http://exa\tmple.com\\@127.0.0.1/',
  ])('G-9: %s, which readers read differently, is refused', (url) => {
    expect(refusedUrl(url, PUBLIC_ONLY)).not.toBeNull();
  });

  it.each([
    'http://',
    'http://[::1',
    'http://[fe80::1%25eth0]/',
    'http://1.2.3.4.5/',
    'http://256.0.0.1/',
    'not a url',
    '',
  ])('G-9: %j, which is no URL, is refused', (url) => {
    expect(refusedUrl(url, PUBLIC_ONLY)).toBe('it is no valid URL');
  });

  it.each([
    'https://example.com/cat.png',
    'https://user@example.com/cat.png',
    'https://example.com/a@b/c@d.png',
    'https://example.com/a?x=b@c',
    'https://example.com/a\\b.png',
    'https://xn--bcher-kva.example/',
    'https://bücher.example.com/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://localhost.example.com/',
    'https://127.0.0.1.example.com/',
    'https://internal.example.com/',
    'data:image/png;base64,AAAA',
    'gs://bucket/cat.png',
    's3://bucket/cat.png',
    'file-abc:1',
  ])('G-9: %s passes', (url) => {
    expect(refusedUrl(url, PUBLIC_ONLY)).toBeNull();
  });

  it.each([
    `http://@${'?'.repeat(300_000)}`,
    `http://a${'.'.repeat(300_000)}b/`,
    `http://${'@'.repeat(300_000)}a/`,
    `http://${'\\'.repeat(300_000)}`,
    `${' '.repeat(300_000)}x:`,
    `http:${'/'.repeat(300_000)}`,
  ])('G-9: a text made to be slow is judged in time linear to its length', (url) => {
    // Quadratic work would take minutes and end in the test's own time limit.
    for (let i = 0; i < 5; i += 1) expect(refusedUrl(url, PUBLIC_ONLY)).toBe(refusedUrl(url, PUBLIC_ONLY));
  });

  it('G-9: the reason names host and kind', () => {
    expect(refusedUrl('http://0x7f.1/x', PUBLIC_ONLY)).toBe('127.0.0.1 is a loopback address');
    expect(refusedUrl('http://169.254.169.254/', PUBLIC_ONLY)).toBe(
      '169.254.169.254 is the address of a metadata service',
    );
    expect(refusedUrl('http://Redis:1/', PUBLIC_ONLY)).toBe('redis is a name of a private network');
  });
});

/** One IPv4 address, written in one of the ways that readers of URLs understand. */
function notation(address: readonly number[]) {
  const base = fc.constantFrom(
    (n: number) => String(n),
    (n: number) => `0x${n.toString(16)}`,
    (n: number) => `0X${n.toString(16).toUpperCase()}`,
    (n: number) => `0${n.toString(8)}`,
    (n: number) => `0x000${n.toString(16)}`,
  );
  const parts = fc.integer({ min: 1, max: 4 }).map((count) => {
    const last = address.slice(count - 1).reduce((sum, byte) => sum * 256 + byte, 0);
    return [...address.slice(0, count - 1), last];
  });
  const wide = (text: string) => text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
  const percent = (text: string) => text.replace(/\d/g, (digit) => `%3${digit}`);
  const dress = fc.constantFrom(
    (t: string) => t,
    wide,
    percent,
    (t: string) => `${t}.`,
    (t: string) => t.replaceAll('.', '。'),
  );
  const [a, b, c, d] = address as [number, number, number, number];
  const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  const v6 = fc.constantFrom(
    `[::ffff:${address.join('.')}]`,
    `[::ffff:${hex}]`,
    `[0:0:0:0:0:FFFF:${hex}]`,
    `[64:ff9b::${hex}]`,
    `[2002:${hex}::1]`,
    `[::ffff:0:${hex}]`,
  );
  const v4 = fc
    .tuple(parts, fc.array(base, { minLength: 4, maxLength: 4 }), dress)
    .map(([numbers, bases, dressed]) => dressed(numbers.map((n, at) => bases[at]!(n)).join('.')));
  return fc.oneof({ weight: 3, arbitrary: v4 }, { weight: 1, arbitrary: v6 });
}

const byte = fc.integer({ min: 0, max: 255 });
const privateV4 = fc.oneof(
  fc.tuple(fc.constant(10), byte, byte, byte),
  fc.tuple(fc.constant(127), byte, byte, byte),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
  fc.tuple(fc.constant(0), byte, byte, byte),
  fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
);
const around = fc.record({
  before: fc.constantFrom('', ' ', '\t', '\u0001 '),
  scheme: fc.constantFrom('http:', 'https:', 'HTTP:', 'hTtPs:', 'ht\ntp:'),
  slashes: fc.constantFrom('//', '/', '', '///', '\\\\', '/\\'),
  user: fc.constantFrom('', 'user@', 'user:pass@', 'example.com@', '8.8.8.8:80@'),
  after: fc.constantFrom('', '/', ':80', ':8080/x?y#z', '?q', '#h', '/\\x'),
});

describe('every notation', () => {
  it('G-9: a private IPv4 address is refused however it is written', () => {
    const cases = fc.tuple(privateV4.chain(notation), around);
    fc.assert(
      fc.property(cases, ([host, { before, scheme, slashes, user, after }]) => {
        expect(refusedUrl(before + scheme + slashes + user + host + after, PUBLIC_ONLY)).not.toBeNull();
      }),
      { numRuns: 5000 },
    );
  });

  it('G-9: the same of a public one passes, so it is the address that is judged', () => {
    const address = fc.tuple(fc.constantFrom(8, 93, 151, 1), fc.constant(8), byte, byte);
    fc.assert(
      fc.property(address.chain(notation), (host) => {
        expect(refusedUrl(`https://${host}/`, PUBLIC_ONLY)).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });
});

describe('network.allow_private', () => {
  it('G-9: opens ranges, single addresses and names, and nothing beside them', () => {
    const rules = networkRules(['10.1.0.0/16', 'fd12::/16', '[::1]', '127.0.0.1', 'Intra.Corp.example.', 'redis']);
    for (const url of [
      'http://10.1.9.9',
      'http://[::ffff:10.1.0.1]/',
      'http://[fd12::5]',
      'http://[::1]',
      'http://0x7f.1',
      'http://redis:1',
    ]) {
      expect(refusedUrl(url, rules)).toBeNull();
    }
    for (const url of [
      'http://10.2.0.1',
      'http://127.0.0.2',
      'http://localhost',
      'http://redis2',
      'http://[fd13::1]',
    ]) {
      expect(refusedUrl(url, rules)).not.toBeNull();
    }
    expect(refusedHost('intra.corp.example', rules)).toBeNull();
    expect(refusedAddress('10.1.2.3', rules)).toBeNull();
    expect(refusedAddress('::ffff:10.1.2.3', rules)).toBeNull();
    expect(refusedAddress('10.0.2.3', rules)).toBe('10.0.2.3 is a private address');
  });

  it('G-9: what is no address is refused as one, whatever is allowed', () => {
    expect(refusedAddress('hello', networkRules(['0.0.0.0/0', '::/0', 'hello']))).toBe('hello is no address');
  });

  it('G-9: two sets of exceptions have two ids, whatever their order', () => {
    expect(networkRules(['a.example', '10.0.0.1']).id).toBe(networkRules(['10.0.0.1', 'a.example']).id);
    expect(networkRules(['10.0.0.1']).id).not.toBe(PUBLIC_ONLY.id);
  });

  it.each(['10.0.0.0/8', '::1', '[::1]', 'localhost', 'db.internal', 'my_host', 'a-b.example.'])(
    'G-9: %s can be used',
    (entry) => {
      expect(exceptionFault(entry)).toBeNull();
    },
  );

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0',
    '127.1',
    'http://localhost',
    'localhost:80',
    '*.corp',
    'a b',
    '[::1]:80',
    '-a',
    'a..b',
  ])('G-9: %j is refused with what it must be', (entry) => {
    expect(exceptionFault(entry)).toMatch(/^must be an address, a range/);
  });
});
