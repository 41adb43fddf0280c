import { describe, expect, it } from 'vitest';
import { Breaker } from './breaker.ts';
import { DEFAULT_HEALTH } from './settings.ts';

const FIGURES = DEFAULT_HEALTH.circuit;

function faults(breaker: Breaker, count: number, from = 0): void {
  for (let i = 0; i < count; i++) breaker.recordFault(from + i, 'server_error', FIGURES);
}

describe('H-1: when a circuit opens', () => {
  it('H-1: at the fifth fault in a row, not at the fourth', () => {
    const breaker = new Breaker();
    faults(breaker, 4);
    expect(breaker.state(4)).toBe('closed');
    faults(breaker, 1, 4);
    expect(breaker.state(5)).toBe('open');
    expect(breaker.openUntil).toBe(4 + 5000);
    expect(breaker.cause).toBe('server_error');
  });

  it('H-1: a success ends a row of faults', () => {
    const breaker = new Breaker();
    faults(breaker, 4);
    breaker.recordSuccess(4, FIGURES);
    faults(breaker, 4, 5);
    expect(breaker.closed).toBe(true);
  });

  it('H-1: at half of 20 calls, not of 19', () => {
    const breaker = new Breaker();
    for (let i = 0; i < 19; i++) {
      if (i % 2 === 0) breaker.recordFault(i, 'timeout', FIGURES);
      else breaker.recordSuccess(i, FIGURES);
    }
    expect(breaker.closed).toBe(true);
    breaker.recordSuccess(19, FIGURES);
    expect(breaker.state(19)).toBe('open');
  });

  it('H-1: not below half', () => {
    const breaker = new Breaker();
    for (let i = 0; i < 300; i++) {
      if (i % 3 === 0) breaker.recordFault(i, 'timeout', FIGURES);
      else breaker.recordSuccess(i, FIGURES);
    }
    expect(breaker.closed).toBe(true);
  });

  it('H-1: what is older than 30 s no longer counts', () => {
    const breaker = new Breaker();
    // Every 2 s one call, half of them faults: never 20 within the window.
    for (let i = 0; i < 200; i++) {
      if (i % 2 === 0) breaker.recordFault(i * 2000, 'timeout', FIGURES);
      else breaker.recordSuccess(i * 2000, FIGURES);
    }
    expect(breaker.closed).toBe(true);
  });

  it('H-1: all of the last 29 s counts', () => {
    const breaker = new Breaker();
    for (let i = 0; i < 20; i++) {
      if (i % 2 === 0) breaker.recordFault(i * 1500, 'timeout', FIGURES);
      else breaker.recordSuccess(i * 1500, FIGURES);
    }
    expect(breaker.state(19 * 1500)).toBe('open');
  });

  it('H-1: a silence longer than the window starts afresh', () => {
    const breaker = new Breaker();
    for (let i = 0; i < 18; i++) {
      if (i % 2 === 0) breaker.recordFault(i, 'timeout', FIGURES);
      else breaker.recordSuccess(i, FIGURES);
    }
    breaker.recordFault(10_000_000, 'timeout', FIGURES);
    breaker.recordSuccess(10_000_001, FIGURES);
    expect(breaker.closed).toBe(true);
  });
});

describe('H-1: how long it stays open', () => {
  it('H-1: 5 s, doubled by each failed probe, at most 5 min, and 5 s again after it closed', () => {
    const breaker = new Breaker();
    faults(breaker, 5);
    const lengths: number[] = [];
    for (let i = 0; i < 9; i++) {
      const opens = breaker.openUntil!;
      expect(breaker.state(opens - 1)).toBe('open');
      expect(breaker.state(opens)).toBe('half_open');
      breaker.probeFailed(opens, 'timeout', FIGURES);
      lengths.push(breaker.openUntil! - opens);
    }
    expect(lengths).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000, 300_000]);
    breaker.probeSucceeded();
    expect(breaker.closed).toBe(true);
    faults(breaker, 5, 9_000_000);
    expect(breaker.openUntil).toBe(9_000_004 + 5000);
  });

  it('H-1: every change of state is a new epoch', () => {
    const breaker = new Breaker();
    const seen = new Set([breaker.epoch]);
    faults(breaker, 5);
    seen.add(breaker.epoch);
    breaker.probeFailed(10_000, 'timeout', FIGURES);
    seen.add(breaker.epoch);
    breaker.probeSucceeded();
    seen.add(breaker.epoch);
    expect(seen.size).toBe(4);
  });
});
