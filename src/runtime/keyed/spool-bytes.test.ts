import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiskSpace } from './disk-room.ts';
import { SpoolBytes } from './spool-bytes.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'understudy-spool-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(memory: number, place = folder, space?: () => DiskSpace) {
  const problems: unknown[] = [];
  let flushed = 0;
  const told = {
    flushed: () => {
      flushed += 1;
    },
    failed: (error: unknown) => void problems.push(error),
  };
  const bytes = new SpoolBytes({ folder: place, name: 'req_1', memory, ...(space && { space }) }, told);
  return { bytes, problems, flushes: () => flushed };
}

async function readFrom(bytes: SpoolBytes, start: number): Promise<string> {
  let text = '';
  for (let at = start; at < bytes.length; ) {
    const part = await bytes.read(at);
    expect(part.length).toBeGreaterThan(0);
    text += Buffer.from(part).toString();
    at += part.length;
  }
  return text;
}

describe('what is spooled', () => {
  it.each([0, 1, 7, 10, 1000])(
    'I-6: is read from any position, also while it is on its way to disk (memory %i)',
    async (memory) => {
      const { bytes, problems } = open(memory);
      let whole = '';
      for (let n = 0; n < 40; n += 1) {
        const piece = `piece ${n};`;
        whole += piece;
        bytes.push(Buffer.from(piece));
        for (const at of [0, 1, 9, whole.length - 1])
          if (at < whole.length) expect(await readFrom(bytes, at)).toBe(whole.slice(at));
      }
      const last = Buffer.from('the end');
      expect(Buffer.from(await bytes.all(last)).toString()).toBe(`${whole}the end`);
      expect(bytes.digest(last)).toBe(createHash('sha256').update(`${whole}the end`).digest('hex'));
      expect(problems).toEqual([]);
      bytes.close();
    },
  );

  it('I-4: leaves no file that could outlive the process', async () => {
    const { bytes } = open(0);
    bytes.push(Buffer.from('a secret'));
    expect(await readdir(folder)).toEqual([]);
    expect(await readFrom(bytes, 0)).toBe('a secret');
    bytes.close();
  });

  it('T-7: a disk that is slower than the upstream is waited for', async () => {
    const { bytes, flushes } = open(0);
    expect(bytes.isCongested).toBe(false);
    for (let n = 0; n < 5; n += 1) bytes.push(Buffer.alloc(1024 * 1024, 120));
    expect(bytes.isCongested).toBe(true);
    while (flushes() === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(bytes.isCongested).toBe(false);
    bytes.close();
  });

  it('H-5: a disk that takes nothing is told once, and nothing more is kept', async () => {
    const { bytes, problems } = open(2, join(folder, 'gone'));
    bytes.push(Buffer.from('ab'));
    bytes.push(Buffer.from('cd'));
    bytes.push(Buffer.from('ef'));
    expect(problems).toHaveLength(1);
    expect(await readFrom(bytes, 0)).toBe('ab');
    await expect(bytes.all(Buffer.from('the end'))).rejects.toThrow();
    bytes.close();
  });

  it('H-5: an answer that never ends leaves the ledger its room on the disk', async () => {
    let free = 1024 ** 3;
    const { bytes, problems, flushes } = open(0, folder, () => ({ free, total: 1024 ** 4 }));
    const piece = Buffer.alloc(1024 * 1024, 120);
    for (let n = 0; n < 60 && problems.length === 0; n += 1) {
      const before = flushes();
      if (n === 20) free = 0;
      bytes.push(piece);
      while (flushes() === before && problems.length === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(problems).toHaveLength(1);
    expect(bytes.length).toBeGreaterThanOrEqual(20 * piece.length);
    expect(await readFrom(bytes, bytes.length - 10)).toBe('x'.repeat(10));
    bytes.close();
  });
});
