/**
 * The load scenario: many requests over a chain of three upstreams that each fail 30 % of theirs. Nearly every request
 * must get one whole answer, the rest exactly one plain error, and the log must hold every request and attempt.
 */
import { chatBody } from './body.ts';
import { type FailingUpstream, type FailureProfile, fails, startFailingUpstream } from './failing-upstream.ts';
import { LoadGenerator, type Sample } from './load-generator.ts';

export const PROFILE: FailureProfile = { seed: 10, share: 0.3 };
const PLACES = [0, 1, 2] as const;
export const CHAIN = PLACES.map((place) => `chain/${place}`);

/** Ends the attempts at a silent upstream; far above what a busy machine needs for a good one. */
const REDUNDANCY = { timeout_ms: 4000, first_token_timeout_ms: 4000 };

export interface LoadTarget {
  readonly url: string;
  readonly adminToken: string;
  readonly clientKey: string;
}

/** What the clients saw of a run. */
export interface LoadReport {
  readonly requests: number;
  /** Whole, good answers. */
  readonly whole: number;
  /** A status, a JSON body with code, message and request id, and one `x-should-retry`; counted by status and code. */
  readonly plainErrors: Readonly<Record<string, number>>;
  /** Neither: each would be a broken promise. Shown in full. */
  readonly torn: readonly Sample[];
  /** Requests that all three upstreams were bound to fail. */
  readonly bound: number;
}

/** What the log holds. */
export interface LogCount {
  readonly requests: number;
  readonly attempts: number;
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

/** `502 all_models_failed` for a plain error, null for what is none. */
function errorKind(sample: Sample): string | null {
  const { error } = parsed(sample.tail);
  const saysAll = [error?.code, error?.message, error?.request_id].every((value) => typeof value === 'string');
  const plain = sample.status >= 400 && sample.ended && saysAll && /^(true|false)$/.test(sample.shouldRetry ?? '');
  return plain ? `${sample.status} ${error?.code}` : null;
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

/** Reads the log back until it holds `requests`, waiting a bounded while for its queue to be written. */
export async function readLog(target: LoadTarget, requests: number): Promise<LogCount> {
  let ids = await allIds(target, requests);
  for (let tries = 0; tries < 20 && ids.length < requests; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    ids = await allIds(target, requests);
  }
  let attempts = 0;
  const waiting = [...new Set(ids)];
  const found = waiting.length;
  const reader = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const record = await adminGet<{ attempts: readonly unknown[] }>(target, `/requests/${id}`);
      attempts += record.attempts.length;
    }
  };
  await Promise.all(Array.from({ length: 8 }, reader));
  return { requests: found, attempts };
}

/**
 * Sends requests `from` … `from + requests − 1` to a gateway configured with `chainConfig` over `startChain`'s upstreams.
 */
export async function runLoad(
  target: LoadTarget,
  from: number,
  requests: number,
  perSecond: number,
): Promise<LoadReport> {
  const generator = new LoadGenerator(`${target.url}/v1`, target.clientKey, 1024);
  const body = (index: number) => bodyOf(from + index);
  const samples = await generator.openLoop({ body, keepBody: true }, requests, perSecond);
  await generator.close();
  const plainErrors: Record<string, number> = {};
  const torn: Sample[] = [];
  let [whole, bound] = [0, 0];
  for (const [index, sample] of samples.entries()) {
    const number = from + index;
    if (PLACES.every((place) => fails(PROFILE, place, number))) bound += 1;
    const error = isWhole(sample, isStream(number)) ? null : errorKind(sample);
    if (isWhole(sample, isStream(number))) whole += 1;
    else if (error === null) torn.push(sample);
    else plainErrors[error] = (plainErrors[error] ?? 0) + 1;
  }
  return { requests, whole, plainErrors, torn, bound };
}
