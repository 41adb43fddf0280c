/** The story of a request, and how its attempts lie on one axis: pure, without a browser (O-5). */
import { describe, expect, it } from 'vitest';
import { shownAttempts, ticksOf } from '../../console/src/pages/request/shown-attempt.ts';
import { type Attempt, type RequestRecord, storyOf } from '../../console/src/pages/request/story.ts';
import { tipsOf } from '../../console/src/pages/request/tips.ts';
import { hasGap, type ListPage, type Row, rowsOf, takeIn, unseen } from '../../console/src/pages/requests/live-rows.ts';

const AT = '2026-11-30T12:00:00.000Z';
const later = (ms: number): string => new Date(Date.parse(AT) + ms).toISOString();

function attempt(more: Partial<Attempt>): Attempt {
  return {
    no: 1,
    id: 'att_1',
    model: 'a',
    channel: 'north',
    credential: 'main',
    provider: 'north',
    upstream_model: 'a',
    started_at: AT,
    sent_at: AT,
    latency_ms: 10,
    ttft_ms: null,
    status: 503,
    result: 'failed',
    class: 'overloaded',
    trigger: null,
    triggers: [],
    provider_code: null,
    provider_message: null,
    provider_request_id: null,
    retry_after_ms: null,
    retry_after_source: null,
    maybe_executed: false,
    suspicious: false,
    hedge: false,
    decision: 'next_model',
    reason: 'overloaded; next model in chain',
    changes: [],
    usage: null,
    cost_nano_usd: 0,
    ...more,
  };
}

function record(more: Partial<RequestRecord>): RequestRecord {
  return {
    id: 'req_1',
    client_request_id: null,
    at: AT,
    workspace: 'acme',
    key: 'shop',
    endpoint: 'chat',
    stream: false,
    requested_model: 'a',
    virtual_model: null,
    served_model: 'b',
    chain: ['a', 'b'],
    policy: 'standard',
    status: 200,
    outcome: 'success',
    ending: 'served',
    error_code: null,
    degraded: false,
    degraded_reasons: [],
    idempotency: null,
    client_retry: { count: 0, how: null, upstream_calls: 1 },
    upstream_calls: 1,
    latency_ms: 100,
    ttft_ms: null,
    usage: null,
    cost_nano_usd: null,
    waste_nano_usd: null,
    stages: [],
    candidates: [],
    attempts: [],
    ...more,
  };
}

const WRITING = {
  term: (_: string, code: string) => code,
  duration: (ms: number) => `${ms} ms`,
  instant: (iso: string) => iso,
};
const told = (one: RequestRecord): string[] =>
  storyOf(one, WRITING).map(({ key, values }) => `${key.slice('story.'.length)} ${Object.values(values).join('|')}`);
const served = attempt({ no: 2, model: 'b', result: 'served', status: 200, class: null, started_at: later(20) });

describe('the story of a request (O-5)', () => {
  it('tells a failure and who covered for it, in order', () => {
    expect(told(record({ attempts: [attempt({}), served] }))).toEqual([
      'asked a',
      'failed a|10 ms|503 overloaded|overloaded; next model in chain',
      expect.stringMatching(/^answered b\|/),
    ]);
  });

  it('P-4: says why a model whose turn it was has not been called', () => {
    const resting = {
      rank: 1,
      model: 'a',
      channel: 'north',
      credential: null,
      tried: false,
      skip_reason: 'cooling_rate_limit',
      available_at: later(30_000),
    };
    const told_ = told(record({ attempts: [served], candidates: [resting] }));
    expect(told_[1]).toBe(`not_called_until a|cooling_rate_limit|${later(30_000)}`);
    expect(told_[2]).toMatch(/^answered b/);
    expect(tipsOf(record({ attempts: [served], candidates: [resting] }), '-')[0]?.key).toBe('tip.rate_limit');
  });

  it('joins failures of one channel in a row, and tells channels of one model apart', () => {
    const attempts = [
      attempt({}),
      attempt({ no: 2, started_at: later(30) }),
      attempt({ no: 3, channel: 'south', result: 'served', status: 200, class: null }),
    ];
    const sentences = told(record({ attempts, served_model: 'a', chain: ['a'] }));
    expect(sentences[1]).toBe('failed_often a (north)|2|503 overloaded|40 ms');
    expect(sentences[2]).toMatch(/^answered a \(south\)/);
  });

  it('X-4: a rehearsed failure is called one', () => {
    const attempts = [attempt({ rehearsed: true }), served];
    expect(told(record({ attempts }))[1]).toMatch(/^failed_rehearsed a/);
    expect(tipsOf(record({ attempts }), '-')).toEqual([]);
  });

  it('C-7: a default model that stood in for one that is not enabled', () => {
    expect(told(record({ requested_model: 'gone', chain: ['b'], attempts: [served] })).slice(0, 2)).toEqual([
      'asked gone',
      'stood_in gone|b',
    ]);
  });

  it.each([
    ['failed', 'nobody 503|overloaded'],
    ['rejected', 'refused 503|overloaded'],
    ['interrupted', 'cut 503|overloaded'],
    ['client_closed', 'left 503|overloaded'],
    ['replayed', 'replayed 503|overloaded'],
    ['joined', 'joined 503|overloaded'],
  ] as const)('an ending of %s is told last', (ending, last) => {
    const one = record({ ending, status: 503, error_code: 'overloaded', served_model: null });
    expect(told(one).at(-1)).toBe(last);
  });

  it('F-2: what may have been carried out upstream is said', () => {
    expect(told(record({ attempts: [attempt({ maybe_executed: true }), served] }))).toContain('maybe ');
  });
});

describe('attempts on one axis (O-5)', () => {
  it('shows waits between attempts, and none while another runs', () => {
    const [first, second, third] = shownAttempts(AT, [
      attempt({ latency_ms: 100 }),
      attempt({ no: 2, started_at: later(50), latency_ms: 100, hedge: true }),
      attempt({ no: 3, started_at: later(400), latency_ms: 10, ttft_ms: 4 }),
    ]);
    expect([first?.waited, second?.waited, third?.waited]).toEqual([0, 0, 250]);
    expect([third?.from, third?.first, third?.to]).toEqual([400, 404, 410]);
  });

  it.each([
    [0, [0]],
    [23.5, [0, 10, 20]],
    [1000, [0, 500, 1000]],
    [7900, [0, 2000, 4000, 6000]],
  ])('has round ticks for %s ms', (total, ticks) => {
    expect(ticksOf(total)).toEqual(ticks);
  });
});

describe('new rows of the log (O-5)', () => {
  const row = (id: string, ms: number): Row => ({ id, at: later(ms) }) as Row;
  const page = (data: Row[], next_cursor: string | null = null): ListPage => ({ data, next_cursor });

  it('come on top, each once; one that began earlier and ended later comes in its place', () => {
    const pages = [page([row('d', 40), row('b', 20)], 'more'), page([row('a', 10)])];
    const taken = takeIn(page([row('e', 50), row('d', 40), row('c', 30)]), pages);
    expect(rowsOf(taken).map(({ id }) => id)).toEqual(['e', 'd', 'c', 'b', 'a']);
  });

  it('older than the last row they come with the pages that follow', () => {
    const rows = [row('d', 40), row('c', 30)];
    const newest = page([row('d', 40), row('a', 10)]);
    expect(unseen(newest, rows, true)).toEqual([]);
    expect(unseen(newest, rows, false).map(({ id }) => id)).toEqual(['a']);
  });

  it('that do not meet the list replace it: no gap is hidden', () => {
    const newest = page([row('z', 99), row('y', 98)], 'next');
    const pages = [page([row('d', 40)], 'old')];
    expect(hasGap(newest, rowsOf(pages))).toBe(true);
    expect(takeIn(newest, pages)).toEqual([newest]);
  });
});
