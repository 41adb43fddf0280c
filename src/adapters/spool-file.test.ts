import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NoRoomForUpload, type UploadSpool } from '../ports/upload-spool.ts';
import { type SpoolFolder, uploadSpools } from './spool-file.ts';

let folder: string;
let names = 0;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'understudy-spool-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(more: Partial<SpoolFolder> = {}): UploadSpool {
  return uploadSpools({ folder, newName: () => `upload-${names++}`, memory: 100, ...more })();
}

async function read(spool: UploadSpool, start: number, end: number): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of spool.read(start, end)) parts.push(part);
  return Buffer.concat(parts).toString('latin1');
}

const letters = (length: number, from = 0): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => 97 + ((from + i) % 26)));

describe.each([
  ['in memory', 90],
  ['in a file', 300_000],
])('a spooled body %s', (_where, length) => {
  it('gives every span of it, any number of times, to several readers at once', async () => {
    const spool = open();
    for (let at = 0; at < length; at += 7) await spool.push(letters(Math.min(7, length - at), at));
    const whole = letters(length).toString('latin1');
    const spans = [
      [0, length],
      [3, 50],
      [40, length - 1],
      [10, 10],
    ] as const;
    const got = await Promise.all([...spans, ...spans].map(([start, end]) => read(spool, start, end)));
    expect(got).toEqual([...spans, ...spans].map(([start, end]) => whole.slice(start, end)));
    expect(spool.length).toBe(length);
    spool.close();
  });

  it('leaves no name in the folder, and is gone when it is closed', async () => {
    const spool = open();
    await spool.push(letters(length));
    expect(await readdir(folder)).toEqual([]);
    spool.close();
    await expect(read(spool, 0, length)).rejects.toThrow(/is gone/);
    await expect(spool.push(letters(200))).rejects.toBeInstanceOf(NoRoomForUpload);
  });
});

describe('room', () => {
  it('H-5: what the ledger needs of the disk is not taken', async () => {
    const spool = open({ free: () => Promise.resolve(260 * 1024 * 1024) });
    await spool.push(letters(50));
    await expect(spool.push(letters(100))).rejects.toBeInstanceOf(NoRoomForUpload);
  });

  it('a folder that is gone is no room', async () => {
    const spool = open({ folder: path.join(folder, 'nowhere') });
    await expect(spool.push(letters(200))).rejects.toBeInstanceOf(NoRoomForUpload);
  });

  it('closing under a reader breaks it off without a word about another file', async () => {
    const spool = open();
    await spool.push(letters(300_000));
    const reading = read(spool, 0, 300_000);
    spool.close();
    await expect(reading).rejects.toThrow(/is gone/);
  });
});
