import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteCollector } from './byte-collector.ts';

describe('ByteCollector', () => {
  it('T-7: joins whatever sizes come, in order, also when asked in between', () => {
    const sizes = fc.array(fc.oneof(fc.nat(20), fc.nat(5000), fc.nat(70_000)), { maxLength: 40 });
    fc.assert(
      fc.property(sizes, fc.nat(40), (list, askAt) => {
        const collector = new ByteCollector();
        const chunks = list.map((size, i) => Buffer.alloc(size, i + 1));
        chunks.forEach((chunk, i) => {
          collector.push(chunk);
          if (i === askAt) expect(Buffer.concat(chunks.slice(0, i + 1)).equals(collector.bytes())).toBe(true);
        });
        const whole = Buffer.concat(chunks);
        expect(collector.length).toBe(whole.length);
        expect(whole.equals(collector.bytes())).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('T-7: one chunk is handed out as it came', () => {
    const collector = new ByteCollector();
    const chunk = Buffer.from('abc');
    collector.push(chunk);
    expect(collector.bytes()).toBe(chunk);
  });

  it('T-7: a body in millions of single bytes costs about its own size', () => {
    const collector = new ByteCollector();
    const before = process.memoryUsage();
    for (let i = 0; i < 2_000_000; i++) collector.push(Buffer.from('x').subarray(0, 1));
    const after = process.memoryUsage();
    const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
    expect(collector.length).toBe(2_000_000);
    // Kept one by one they are some 200 MB.
    expect(grown).toBeLessThan(100_000_000);
  });
});
