import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derivedKeyHash, keyHashOf, keyRef } from './derive.ts';
import { exactNumber } from './exact-number.ts';
import { type AskedInPath, fingerprintOf } from './fingerprint.ts';

const print = (body: string | Uint8Array, endpoint = 'chat', place: AskedInPath = {}) =>
  fingerprintOf({ endpoint, place, body: typeof body === 'string' ? Buffer.from(body) : body });

const same = (a: string, b: string) => expect(print(a)).toBe(print(b));
const other = (a: string, b: string) => expect(print(a)).not.toBe(print(b));

describe('fingerprints (I-5)', () => {
  it('I-5: order of fields, white space, escapes and the byte order mark have no part in it', () => {
    same(
      '{"model":"a","messages":[{"role":"user","content":"hé/"}]}',
      '{ "messages" : [ {"content":"h\\u00e9\\/",\n"role":"user"}] , "model":"\\u0061" }',
    );
    same('{"a":1}', '\ufeff{"a":1}\n');
    same('{"\\u0061b":{"y":[],"x":{}}}', '{"ab":{"x":{},"y":[]}}');
    same('{"a":"\\ud83d\\ude00"}', '{"a":"😀"}');
  });

  it('I-5: redundancy has no part in it at the top, everything else has', () => {
    same('{"model":"a","redundancy":{"policy":"strict"}}', '{"model":"a"}');
    same('{"redund\\u0061ncy":1}', '{}');
    other('{"x":{"redundancy":1}}', '{"x":{}}');
    other('{"models":["a","b"]}', '{"models":["b","a"]}');
    other('{"model":"a","stream":true}', '{"model":"a"}');
    other('{"a":null}', '{}');
    other('{"a":"1"}', '{"a":1}');
    other('{"a":"x,b"}', '{"a":"x","b":""}');
    other('{"a":[1,[2]]}', '{"a":[[1],2]}');
    other('{"a":"e\\u0301"}', '{"a":"\\u00e9"}');
  });

  it('I-5: endpoint and path model are part of it, and not mixed up', () => {
    expect(print('{}', 'chat', { model: 'a' })).not.toBe(print('{}', 'chat'));
    expect(print('{}', 'chat')).not.toBe(print('{}', 'responses'));
    expect(print('{}', 'a', { model: 'b' })).not.toBe(print('{}', 'a"', { model: 'b' }));
  });

  it('I-5: a path that says whether and how to stream makes different requests', () => {
    const of = (place: AskedInPath) => print('{}', 'gemini', place);
    const whole = of({ model: 'm', stream: false, form: 'events' });
    const events = of({ model: 'm', stream: true, form: 'events' });
    const array = of({ model: 'm', stream: true, form: 'array' });
    expect(new Set([whole, events, array]).size).toBe(3);
    expect(of({ model: 'm', stream: true })).toBe(events);
    expect(of({ model: 'm', stream: false, form: 'array' })).toBe(whole);
  });

  it('I-5: numbers by their exact value, at any size', () => {
    same('{"a":[1.0,100,0.10,-0,1E+2]}', '{"a":[1,1e2,0.1,0,100.0]}');
    other('{"a":9007199254740993}', '{"a":9007199254740992}');
    other('{"a":1e400}', '{"a":2e400}');
    other('{"a":1e-400}', '{"a":0}');
    other('{"a":0.1}', '{"a":0.10000000000000001}');
    other('{"a":-1}', '{"a":1}');
  });

  it('I-5: of a name given twice the last counts, as for every reader', () => {
    same('{"a":{"x":1,"x":2}}', '{"a":{"x":2}}');
    same('{"a":{"__proto__":1,"__proto__":2}}', '{"a":{"__proto__":2}}');
    other('{"a":{"x":1,"x":2}}', '{"a":{"x":1}}');
  });

  it('I-5: bodies that are no UTF-8 count byte for byte', () => {
    const broken = (byte: number) => Buffer.concat([Buffer.from('{"a":"'), Buffer.from([byte]), Buffer.from('"}')]);
    expect(print(broken(0xff))).not.toBe(print(broken(0xfe)));
    expect(print(broken(0xff))).not.toBe(print('{"a":"\ufffd"}'));
    expect(print(broken(0xff))).toBe(print(broken(0xff)));
  });

  it('I-5: equal values have equal prints however they are written, others have not (property)', () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(json, json, fc.boolean(), (a, b, indent) => {
        const spelled = JSON.stringify(a, null, indent ? 2 : 0).replace(
          /[^\x00-\x7f]/g,
          (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
        const plain = (value: unknown) => JSON.stringify(sorted(value));
        expect(print(spelled)).toBe(print(JSON.stringify(shuffled(a))));
        const equal = plain(without(a)) === plain(without(b));
        expect(print(JSON.stringify(a)) === print(JSON.stringify(b))).toBe(equal);
      }),
    );
  });

  it('I-5: strings of megabytes are read whole, escapes or not', () => {
    const long = 'word '.repeat(2_000_000);
    same(`{"a":"${long}\\n"}`, `{"a":"${long}\\u000a"}`);
    same(`{"a":"${'\\"'.repeat(1_000_000)}\\\\"}`, `{"a":"${'\\u0022'.repeat(1_000_000)}\\u005c"}`);
  });

  it('I-5: a number of a million digits takes no noticeable time', () => {
    expect(exactNumber(`1${'0'.repeat(1_000_000)}`)).toBe('1e1000000');
    expect(exactNumber(`0.${'0'.repeat(1_000_000)}1`)).toBe('1e-1000001');
  });

  it('I-5: an exponent of millions of digits is never added up: it would take minutes', () => {
    const endless = (sign: string, last: string) => `{"a":1e${sign}${'9'.repeat(8_000_000)}${last}}`;
    same(endless('', '1'), endless('', '1'));
    other(endless('', '1'), endless('', '2'));
    other(endless('-', '1'), endless('', '1'));
    other('{"a":10e99999999999999999999}', '{"a":1e99999999999999999999}');
    same('{"a":10e9999999999999}', '{"a":1e10000000000000}');
    same('{"a":0e99999999999999999999}', '{"a":-0.00}');
  });

  it('I-5: what is nested without end is read like anything else', () => {
    const nested = (depth: number, spelled: string) => `{"a":${'[{"b":'.repeat(depth)}${spelled}${'}]'.repeat(depth)}}`;
    same(nested(100_000, '[1.0]'), nested(100_000, ' [ 1 ] '));
    other(nested(100_000, '1'), nested(100_000, '2'));
    other(nested(1000, '1'), nested(1001, '1'));
    // Two neighbours at each level: were the inner one copied at each, this would take minutes.
    const crowded = (last: string) =>
      `{"a":${'["",'.repeat(50_000)}"${'y'.repeat(4_000_000)}${last}"${']'.repeat(50_000)}}`;
    same(crowded('a'), crowded('\\u0061'));
    other(crowded('a'), crowded('b'));
  });
});

function without(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'redundancy'));
}

function mapped(value: unknown, order: (names: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => mapped(one, order));
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  const members = value as Record<string, unknown>;
  return Object.fromEntries(order(Object.keys(members)).map((name) => [name, mapped(members[name], order)]));
}
const sorted = (value: unknown) => mapped(value, (names) => names.sort());
const shuffled = (value: unknown) => mapped(value, (names) => names.reverse());

describe('key hashes (I-1, I-10)', () => {
  const from = { businessKey: null, clientKey: 'dev', user: 'u', fingerprint: 'f' };

  it('I-10: a business key alone makes the key; else caller, user and request do', () => {
    expect(derivedKeyHash({ ...from, businessKey: 'order-1' })).toBe(
      derivedKeyHash({ businessKey: 'order-1', clientKey: 'x', user: null, fingerprint: 'y' }),
    );
    const derived = [
      from,
      { ...from, clientKey: 'd' },
      { ...from, user: null },
      { ...from, user: 'v' },
      { ...from, fingerprint: 'g' },
      { ...from, businessKey: 'order-1' },
    ];
    expect(new Set(derived.map(derivedKeyHash)).size).toBe(derived.length);
    expect(derivedKeyHash({ ...from, businessKey: '' })).toBe(derivedKeyHash(from));
  });

  it('I-1: keys are scoped by client key or workspace, and endpoint', () => {
    const scope = { key: { name: 'dev', hash: '0123456789abcdef0123' }, workspace: 'acme', endpoint: 'chat' };
    const hash = keyHashOf('k');
    expect(hash).toBe('8254c329a92850f6d539dd376f4816ee2764517da5e0235514af433164480d7a');
    expect(keyRef({ ...scope, by: 'key' }, hash)).toEqual({ scope: 'key:dev#0123456789abcdef chat', keyHash: hash });
    expect(keyRef({ ...scope, by: 'workspace' }, hash)).toEqual({ scope: 'workspace:acme chat', keyHash: hash });
  });
});
