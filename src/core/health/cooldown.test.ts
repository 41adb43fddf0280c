import { describe, expect, it } from 'vitest';
import { Cooldown } from './cooldown.ts';

const FIGURES = { baseMs: 1000, capMs: 300_000 };

describe('H-1: one rest at a time', () => {
  it('H-1: a backoff never takes the place of a fault that no backoff heals, however late it ends', () => {
    const cooldown = new Cooldown();
    cooldown.rest({ reason: 'cooling_permission', cause: 'permission', until: 500, stated: false }, 3, 0);
    cooldown.backOff(4, 4, 0, FIGURES);
    expect(cooldown).toMatchObject({ reason: 'cooling_permission', until: 500 });
  });

  it('H-1: such a fault takes the place of a backoff, however early it ends', () => {
    const cooldown = new Cooldown();
    cooldown.backOff(1, 1, 0, FIGURES);
    cooldown.rest({ reason: 'cooling_permission', cause: 'permission', until: 500, stated: false }, 1, 0);
    expect(cooldown).toMatchObject({ reason: 'cooling_permission', until: 500 });
  });

  it('H-1: what is over gives way to anything', () => {
    const cooldown = new Cooldown();
    cooldown.rest({ reason: 'cooling_permission', cause: 'permission', until: 500, stated: false }, 1, 0);
    cooldown.backOff(2, 2, 500, FIGURES);
    expect(cooldown).toMatchObject({ reason: 'cooling_backoff', until: 1500 });
  });

  it('H-1: the level never overflows', () => {
    const cooldown = new Cooldown();
    for (let call = 1; call < 5000; call++) cooldown.backOff(call, call, call * 400_000, FIGURES);
    expect(cooldown.until - 4999 * 400_000).toBe(300_000);
    expect(Number.isFinite(2 ** cooldown.level)).toBe(true);
  });
});
