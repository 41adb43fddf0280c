import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientRetryWatch, requestFingerprint, statedRetryCount } from './client-retry.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('D-7: a client’s own retry', () => {
  it('D-7: is told by its SDK’s header, whatever was seen', () => {
    const watch = new ClientRetryWatch();
    expect(watch.recognise('k', 2, 1, 0)).toEqual({ count: 2, how: 'header', callsBefore: 0 });
  });

  it('D-7: is the same key and request within 60 s after a failure', () => {
    const watch = new ClientRetryWatch();
    expect(watch.recognise('k', 0, 1, 0)).toEqual({ count: 0, how: null, callsBefore: 0 });
    watch.note('k', 1, 1000);
    expect(watch.recognise('k', 0, 1, 1001)).toEqual({ count: 1, how: 'fingerprint', callsBefore: 0 });
    expect(watch.recognise('k', 0, 2, 1001)).toEqual({ count: 0, how: null, callsBefore: 0 });
    expect(watch.recognise('other', 0, 1, 1001)).toEqual({ count: 0, how: null, callsBefore: 0 });
    expect(watch.recognise('k', 0, 1, 61_000)).toEqual({ count: 1, how: 'fingerprint', callsBefore: 0 });
    expect(watch.recognise('k', 0, 1, 61_001)).toEqual({ count: 0, how: null, callsBefore: 0 });
    expect(watch.size).toBe(0);
  });

  it('D-7: failures in a row are counted, each opens the window anew', () => {
    const watch = new ClientRetryWatch();
    for (const at of [0, 50_000, 100_000]) watch.note('k', 1, at);
    expect(watch.recognise('k', 0, 1, 159_000)).toEqual({ count: 3, how: 'fingerprint', callsBefore: 0 });
  });

  it('D-7: after a success the same request is a new wish', () => {
    const watch = new ClientRetryWatch();
    watch.note('k', 1, 0);
    watch.note('k', 2, 0);
    watch.forget('k', 1);
    watch.forget('k', 1);
    watch.forget('k', 99);
    expect(watch.recognise('k', 0, 1, 1).count).toBe(0);
    expect(watch.recognise('k', 0, 2, 1).count).toBe(1);
  });

  it('D-7: what a business request has cost is summed up over its repeats, however they are told', () => {
    const watch = new ClientRetryWatch();
    watch.note('k', 1, 0, 2);
    expect(watch.recognise('k', 1, 1, 1)).toEqual({ count: 1, how: 'header', callsBefore: 2 });
    watch.note('k', 1, 2, 3);
    expect(watch.recognise('k', 0, 1, 3)).toEqual({ count: 2, how: 'fingerprint', callsBefore: 5 });
    expect(watch.recognise('k', 1, 2, 3)).toEqual({ count: 1, how: 'header', callsBefore: 0 });
    watch.forget('k', 1);
    expect(watch.recognise('k', 0, 1, 4)).toEqual({ count: 0, how: null, callsBefore: 0 });
  });

  it('D-7: a client that left was told of no failure; what its SDK repeats then costs on', () => {
    const watch = new ClientRetryWatch();
    watch.note('k', 1, 0, 2, false);
    expect(watch.recognise('k', 0, 1, 1)).toEqual({ count: 0, how: null, callsBefore: 0 });
    expect(watch.recognise('k', 1, 1, 1)).toEqual({ count: 1, how: 'header', callsBefore: 2 });
  });

  it('D-7: a key without recent failures costs no fingerprint', () => {
    const watch = new ClientRetryWatch();
    watch.note('k', 1, 0);
    let asked = 0;
    const print = () => {
      asked++;
      return 1;
    };
    watch.recognise('other', 0, print, 1);
    watch.recognise('other', 3, print, 1);
    expect(asked).toBe(0);
    expect(watch.recognise('k', 0, print, 1).count).toBe(1);
    watch.recognise('k', 0, print, 60_001);
    expect(asked).toBe(1);
  });

  it('D-7: what is remembered is bounded; the oldest failure is forgotten first', () => {
    const watch = new ClientRetryWatch(3);
    for (const print of [1, 2, 3]) watch.note('k', print, print);
    watch.note('k', 1, 4);
    watch.note('k', 4, 5);
    expect(watch.size).toBe(3);
    const known = [1, 2, 3, 4].map((print) => watch.recognise('k', 0, print, 6).count);
    expect(known).toEqual([2, 0, 1, 1]);
  });

  it('D-7: agrees with a plain list of failures', () => {
    const step = fc.record({
      what: fc.constantFrom('note', 'forget', 'ask'),
      key: fc.constantFrom('a', 'b'),
      print: fc.integer({ min: 0, max: 3 }),
      wait: fc.integer({ min: 0, max: 40_000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const watch = new ClientRetryWatch();
        const plain = new Map<string, { count: number; at: number }>();
        let now = 0;
        for (const { what, key, print, wait } of steps) {
          now += wait;
          const id = `${key}${print}`;
          const known = plain.get(id);
          const alive = known !== undefined && now - known.at <= 60_000 ? known : undefined;
          if (what === 'note') {
            watch.note(key, print, now);
            plain.set(id, { count: (alive?.count ?? 0) + 1, at: now });
          } else if (what === 'forget') {
            watch.forget(key, print);
            plain.delete(id);
          } else {
            expect(watch.recognise(key, 0, print, now).count).toBe(alive?.count ?? 0);
          }
        }
      }),
    );
  });

  it.each([
    ['0', 0],
    ['2', 2],
    ['999999999', 1000],
    ['-1', 0],
    ['1.5', 0],
    ['', 0],
    ['one', 0],
    [undefined, 0],
    [['1'], 0],
  ])('D-7: the header %j states %i', (header, expected) => {
    expect(statedRetryCount(header)).toBe(expected);
  });
});

describe('fingerprints', () => {
  it('are whole numbers that differ with endpoint, length and every byte', () => {
    const body = bytes('{"model":"a","messages":[1]}');
    const prints = new Set([requestFingerprint('chat', body)]);
    for (let i = 0; i < body.length; i++) {
      for (const change of [1, 0x80]) {
        const other = body.slice();
        other[i]! ^= change;
        prints.add(requestFingerprint('chat', other));
      }
      prints.add(requestFingerprint('chat', body.subarray(0, i)));
    }
    prints.add(requestFingerprint('chats', body));
    prints.add(requestFingerprint('chau', body));
    expect(prints.size).toBe(3 + body.length * 3);
    for (const print of prints) expect(Number.isSafeInteger(print)).toBe(true);
  });

  it('are equal for equal bytes, wherever they lie', () => {
    const inside = new Uint8Array([9, ...bytes('abcde'), 9]).subarray(1, 6);
    expect(requestFingerprint('e', inside)).toBe(requestFingerprint('e', bytes('abcde')));
  });

  it('spread: a hundred thousand similar bodies, no collision', () => {
    const prints = new Set<number>();
    for (let i = 0; i < 100_000; i++) prints.add(requestFingerprint('chat', bytes(`{"seed":${i}}`)));
    expect(prints.size).toBe(100_000);
  });
});
