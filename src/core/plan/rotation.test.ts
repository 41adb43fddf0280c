import { expect, it } from 'vitest';
import { Rotation } from './rotation.ts';

it('P-1, P-2: each channel and each model counts for itself', () => {
  const rotation = new Rotation();
  expect([rotation.ofChannel(3), rotation.ofChannel(3), rotation.ofChannel(0)]).toEqual([0, 1, 0]);
  expect([rotation.ofModel('w m'), rotation.ofModel('w n'), rotation.ofModel('w m')]).toEqual([0, 0, 1]);
});

it('P-2: a dry run takes no turn', () => {
  const rotation = new Rotation();
  rotation.ofChannel(3);
  rotation.ofModel('w m');
  const dry = rotation.standing();
  expect([dry.ofChannel(3), dry.ofChannel(3), dry.ofModel('w m'), dry.ofModel('w m')]).toEqual([1, 1, 1, 1]);
  expect([rotation.ofChannel(3), rotation.ofModel('w m')]).toEqual([1, 1]);
});

it('P-2: model names that clients make up fill no memory; those in use keep their turn', () => {
  const rotation = new Rotation();
  for (let i = 0; i < 30_000; i += 1) {
    expect(rotation.ofModel('w used')).toBe(i);
    rotation.ofModel(`w made-up-${i}`);
  }
  expect(rotation.ofModel('w made-up-0')).toBe(0);
  expect(rotation.ofModel('w made-up-29999')).toBe(1);
});
