/** What the overview's first sentence is made of (O-5). */
import { describe, expect, it } from 'vitest';
import type { Covering, Failing, Overview } from '../../console/src/pages/overview/shape.ts';
import { verdictOf } from '../../console/src/pages/overview/verdict.ts';

const TO = Date.parse('2026-11-29T10:15:00.000Z');
const at = (minutesAgo: number): string => new Date(TO - minutesAgo * 60_000).toISOString();

const failing = (model: string, more: Partial<Failing> = {}): Failing => ({
  model,
  channel: 'direct',
  credential: 'main',
  class: 'overloaded',
  attempts: 3,
  last_at: at(1),
  last_request_id: `req_${model}`,
  provider_message: null,
  ...more,
});

const covering = (requested: string, served: string, more: Partial<Covering> = {}): Covering => ({
  requested_model: requested,
  served_model: served,
  requests: 3,
  first_at: at(9),
  last_at: at(1),
  last_request_id: `req_${requested}`,
  classes: {},
  skipped: {},
  ...more,
});

interface Given {
  readonly requests?: number;
  readonly lost?: number;
  readonly covering?: readonly Covering[];
  readonly failing?: readonly Failing[];
}

function verdict(given: Given) {
  const { requests = 100, lost = 0 } = given;
  const times = { served: 0, p50_ms: null, p99_ms: null };
  const totals = {
    requests,
    outcomes: {
      success: requests - lost,
      client_error: 0,
      upstream_rate_limited: 0,
      upstream_unavailable: lost,
      network_unknown: 0,
      safety_refusal: 0,
    },
    retried: 0,
    fallback: 0,
    degraded: 0,
    interrupted: 0,
    upstream_calls: requests,
    primary: times,
    fallback_latency: times,
    cost_nano_usd: 0,
    waste_nano_usd: 0,
  };
  const overview: Overview = {
    from: at(15),
    to: at(0),
    step_ms: 60_000,
    since: null,
    totals,
    before: totals,
    series: [],
    covering: [...(given.covering ?? [])],
    failing: [...(given.failing ?? [])],
  };
  return verdictOf(overview);
}

describe('the verdict of the overview', () => {
  it('O-5: no traffic is no verdict; without a failure all is well', () => {
    expect(verdict({ requests: 0 })).toEqual({ kind: 'quiet' });
    expect(verdict({})).toEqual({ kind: 'well' });
  });

  it('O-5: who fails, why, and who answers instead', () => {
    const found = verdict({
      failing: [failing('a', { provider_message: 'busy' }), failing('b', { attempts: 1 })],
      covering: [covering('a', 'c', { classes: { overloaded: 3 } })],
    });
    expect(found).toMatchObject({ kind: 'covered', troubles: [{ model: 'a' }, { model: 'b', by: [] }] });
    expect(found).toMatchObject({
      troubles: [{ why: [{ kind: 'class', code: 'overloaded' }], by: ['c'], message: 'busy', isOn: true }, {}],
    });
  });

  it('O-5: what is left out without a call is told by the reason', () => {
    expect(verdict({ covering: [covering('a', 'b', { skipped: { cooling_auth: 2, limit: 1 } })] })).toMatchObject({
      kind: 'covered',
      troubles: [
        {
          why: [
            { kind: 'skip', code: 'cooling_auth' },
            { kind: 'skip', code: 'limit' },
          ],
        },
      ],
    });
  });

  it('O-5: lost requests come before everything else', () => {
    expect(verdict({ lost: 2, failing: [failing('a')] })).toMatchObject({ kind: 'losing', lost: 2, troubles: [{}] });
    expect(verdict({ lost: 1 })).toMatchObject({ kind: 'losing', troubles: [] });
  });

  it('O-5: what failed some minutes ago is told in the past tense, after what fails now', () => {
    expect(
      verdict({ failing: [failing('old', { attempts: 50, last_at: at(6) }), failing('new', { last_at: at(4) })] }),
    ).toMatchObject({
      troubles: [
        { model: 'new', isOn: true },
        { model: 'old', isOn: false },
      ],
    });
  });

  it('O-5: a rare failure that cost nobody anything wakes nobody, nor does a request that was at fault', () => {
    expect(verdict({ failing: [failing('a', { attempts: 1 })] })).toMatchObject({ kind: 'mended', failed: 1 });
    expect(verdict({ failing: [failing('a', { attempts: 2 })] })).toMatchObject({ kind: 'covered' });
    expect(verdict({ failing: [failing('a', { class: 'invalid_request', attempts: 90 })] })).toEqual({ kind: 'well' });
  });
});
