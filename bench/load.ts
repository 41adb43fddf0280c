/**
 * The load scenario: many requests over a chain of three upstreams that each fail 30 % of theirs. Nearly every request
 * must get one whole answer, the rest exactly one plain error, and the log must hold every request and attempt.
 */
import { chatBody } from './body.ts';
import { type FailingUpstream, type FailureProfile, fails, startFailingUpstream } from './failing-upstream.ts';
import { LoadGenerator, type Sample } from './load-generator.ts';

export const PROFILE: FailureProfile = { seed: 7, share: 0.3 };
const PLACES = [0, 1, 2] as const;
export const CHAIN = PLACES.map((place) => `chain/${place}`);

/** The shortest ranges C-4 allows, so that a silent upstream does not make the run long. */
const REDUNDANCY = { timeout_ms: 1000, first_token_timeout_ms: 500 };

export interface LoadTarget {
  readonly url: string;
  readonly adminToken: string;
  readonly clientKey: string;
}

export interface LoadReport {
  readonly requests: number;
  /** Whole, good answers. */
  readonly whole: number;
  /** A status, a JSON body with code, message and request id, and one `x-should-retry`. */
  readonly plainErrors: number;
  /** Neither: each would be a broken promise. Shown in full. */
  readonly torn: readonly Sample[];
  /** Requests that all three upstreams were bound to fail. */
  readonly bound: number;
  readonly upstreamCalls: number;
  readonly loggedRequests: number;
  readonly loggedAttempts: number;
}

export async function startChain(): Promise<FailingUpstream[]> {
  return Promise.all(PLACES.map((place) => startFailingUpstream(PROFILE, place)));
}

const isStream = (index: number) => index % 2 === 0;

function bodyOf(index: number): Buffer {
  const { models, ...rest } = JSON.parse(chatBody(CHAIN, isStream(index), index).toString('utf8')) as {
    models: string[];
  };
  return Buffer.from(JSON.stringify({ models, redundancy: REDUNDANCY, ...rest }));
}

function parsed(text: string): {
  choices?: unknown;
  error?: { code?: unknown; message?: unknown; request_id?: unknown };
} {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}

function isWhole(sample: Sample, stream: boolean): boolean {
  if (sample.status !== 200 || !sample.ended) return false;
  return stream
    ? sample.tail.endsWith('data: [DONE]\n\n') && !sample.tail.includes('"error":{')
    : 'choices' in parsed(sample.tail);
}

function isPlainError(sample: Sample): boolean {
  const { error } = parsed(sample.tail);
  const saysAll = [error?.code, error?.message, error?.request_id].every((value) => typeof value === 'string');
  return sample.status >= 400 && sample.ended && saysAll && /^(true|false)$/.test(sample.shouldRetry ?? '');
}

interface ListPage {
  readonly data: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
}

async function adminGet<T>(target: LoadTarget, path: string): Promise<T> {
  const response = await fetch(`${target.url}/admin/v1${path}`, {
    headers: { authorization: `Bearer ${target.adminToken}` },
  });
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function allIds(target: LoadTarget, most: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null && ids.length <= most) {
    const page: ListPage = await adminGet(
      target,
      `/requests?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  return ids;
}

/** Reads the log back, waiting a bounded while for its queue to be written. */
async function readLog(target: LoadTarget, expected: number): Promise<{ requests: number; attempts: number }> {
  let ids = await allIds(target, expected);
  for (let tries = 0; tries < 20 && ids.length < expected; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    ids = await allIds(target, expected);
  }
  let attempts = 0;
  const waiting = [...new Set(ids)];
  const reader = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      attempts += (await adminGet<{ attempts: readonly unknown[] }>(target, `/requests/${id}`)).attempts.length;
    }
  };
  const requests = waiting.length;
  await Promise.all(Array.from({ length: 8 }, reader));
  return { requests, attempts };
}

/** Runs against a gateway configured with `chainConfig` over `upstreams` and an empty log. */
export async function runLoad(
  target: LoadTarget,
  upstreams: readonly FailingUpstream[],
  requests: number,
  perSecond: number,
): Promise<LoadReport> {
  const generator = new LoadGenerator(`${target.url}/v1`, target.clientKey, 1024);
  const samples = await generator.openLoop({ body: bodyOf, keepBody: true }, requests, perSecond);
  await generator.close();
  const whole = samples.filter((sample, index) => isWhole(sample, isStream(index)));
  const errors = samples.filter(isPlainError);
  const torn = samples.filter((sample, index) => !isWhole(sample, isStream(index)) && !isPlainError(sample));
  const numbers = samples.map((_, index) => index);
  const log = await readLog(target, requests);
  return {
    requests,
    whole: whole.length,
    plainErrors: errors.length,
    torn,
    bound: numbers.filter((number) => PLACES.every((place) => fails(PROFILE, place, number))).length,
    upstreamCalls: upstreams.reduce((sum, upstream) => sum + upstream.calls, 0),
    loggedRequests: log.requests,
    loggedAttempts: log.attempts,
  };
}
