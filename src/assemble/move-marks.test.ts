import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MIGRATED_FILE, markFor, markWarning, readMark, writeMark } from './move-marks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'understudy-mark-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a move that goes on keeps its name; one to another place has its own', () => {
  expect([readMark(folder), markWarning(folder)]).toEqual([null, null]);
  const mark = markFor(folder, 'postgres://db/one', 0);
  writeMark(folder, mark);
  expect(readMark(folder)).toEqual(mark);
  expect(markFor(folder, 'postgres://db/one', 5)).toEqual(mark);
  expect(markFor(folder, 'postgres://db/two', 5).id).not.toBe(mark.id);
});

it('who starts on the folder is told, differently before and after the end', () => {
  const mark = markFor(folder, 'postgres://db/one', 0);
  writeMark(folder, mark);
  expect(markWarning(folder)).toBe(
    `a migration of ${folder} to postgres://db/one began at 1970-01-01T00:00:00.000Z and has not ended: what happens here from now on may be missing there`,
  );
  writeMark(folder, { ...mark, finished_at: '2026-11-30T00:00:00.000Z' });
  expect(markWarning(folder)).toContain('was migrated to postgres://db/one at 2026-11-30');
});

it('a file that is none says nothing', () => {
  for (const text of ['', '{', '[]', '{"id":1}']) {
    writeFileSync(path.join(folder, MIGRATED_FILE), text);
    expect(readMark(folder)).toBeNull();
  }
});
