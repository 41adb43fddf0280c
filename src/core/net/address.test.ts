import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inRange, kindOf, parseAddress, parseRange } from './address.ts';

const kind = (text: string) => kindOf(parseAddress(text)!);

describe('addresses', () => {
  it.each([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['10.0.0.0', 'private'],
    ['10.255.255.255', 'private'],
    ['100.64.0.0', 'shared'],
    ['100.127.255.255', 'shared'],
    ['100.100.100.200', 'metadata'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['168.63.129.16', 'metadata'],
    ['169.254.0.1', 'link-local'],
    ['169.254.169.254', 'metadata'],
    ['169.254.170.2', 'metadata'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.192', 'metadata'],
    ['192.0.0.1', 'reserved'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', 'reserved'],
    ['192.168.0.1', 'private'],
    ['192.168.255.255', 'private'],
    ['198.18.0.1', 'reserved'],
    ['198.19.255.255', 'reserved'],
    ['198.51.100.7', 'documentation'],
    ['203.0.113.7', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::1.2.3.4', null],
    ['::127.0.0.1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::ffff:0:10.0.0.1', 'private'],
    ['::ffff:169.254.169.254', 'metadata'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['64:ff9b:1::8.8.8.8', 'private'],
    ['2002:7f00:1::', 'loopback'],
    ['2002:a00:1::1', 'private'],
    ['2002:a9fe:a9fe::', 'metadata'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'reserved'],
    ['2001:10::1', 'reserved'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['fc00::1', 'private'],
    ['fdff::1', 'private'],
    ['fd00:ec2::254', 'metadata'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['febf::1', 'link-local'],
    ['fec0::1', 'private'],
    ['ff02::1', 'multicast'],
    ['100::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['::2:0:0:1', 'reserved'],
  ])('G-9: %s is %s', (text, expected) => {
    expect(kind(text)).toBe(expected);
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '168.63.129.17',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '2001:200::1',
    '2a00:1450:4001:81b::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('G-9: %s is public', (text) => {
    expect(kind(text)).toBeNull();
  });

  it.each([
    '',
    '1',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '256.1.1.1',
    '1.2.3.-4',
    '1.2.3.4 ',
    '0x7f.0.0.1',
    'localhost',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    'g::',
    '::1.2.3',
    '::256.1.1.1',
    '1.2.3.4::',
    '::1.2.3.4:5',
  ])('G-9: %j is no address', (text) => {
    expect(parseAddress(text)).toBeNull();
  });

  it('G-9: reads every address as Node does', () => {
    const group = fc.oneof(
      fc.constantFrom('0', '1', 'ffff', '00ff', 'a', '12345', '', 'g'),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 1, maxLength: 4 }),
    );
    const text = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.array(group, { minLength: 1, maxLength: 9 }).map((groups) => groups.join(':')),
      fc
        .tuple(fc.ipV6(), fc.nat(39), fc.constantFrom(':', '.', '0', ''))
        .map(([a, at, x]) => a.slice(0, at) + x + a.slice(at + 1)),
    );
    fc.assert(
      fc.property(text, (address) => {
        expect(parseAddress(address)?.length ?? 0).toBe([0, 4, 16][[0, 4, 6].indexOf(isIP(address))]);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('ranges', () => {
  it.each([
    ['10.0.0.0/8', '10.9.8.7', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.1.2.3/12', '10.15.0.0', true],
    ['10.1.2.3/12', '10.16.0.0', false],
    ['192.168.1.1', '192.168.1.1', true],
    ['192.168.1.1', '192.168.1.2', false],
    ['0.0.0.0/0', '1.2.3.4', true],
    ['0.0.0.0/0', '::1', false],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', 'fe00::1', false],
    ['fd00::/9', 'fd80::1', false],
    ['::1/128', '::1', true],
  ])('G-9: %s and %s: %s', (text, address, expected) => {
    expect(inRange(parseAddress(address)!, parseRange(text)!)).toBe(expected);
  });

  it.each([
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '::/129',
    'fe80::1%eth0/64',
    'a/8',
    '/8',
  ])('G-9: %s is no range', (text) => {
    expect(parseRange(text)).toBeNull();
  });
});
