/** What happened to a request, as sentences in order: asked, passed over, tried, answered or not. Pure. */
import type { Shape } from '../../api/client.ts';

export type RequestRecord = Shape<'RequestRecord'>;
export type Attempt = Shape<'Attempt'>;

type Values = Readonly<Record<string, string | number>>;

/** One sentence: its key among the page's words, what stands in it, and whether it is good or bad news. */
export interface Sentence {
  readonly key: StoryKey;
  readonly values: Values;
  readonly tone: 'ok' | 'bad' | 'cover' | 'plain';
}

export type StoryKey =
  | 'story.asked'
  | 'story.asked_virtual'
  | 'story.asked_nothing'
  | 'story.stood_in'
  | 'story.not_called'
  | 'story.not_called_until'
  | 'story.failed'
  | 'story.failed_rehearsed'
  | 'story.failed_often'
  | 'story.rehearsed_often'
  | 'story.broke'
  | 'story.parallel'
  | 'story.dropped'
  | 'story.late'
  | 'story.answered'
  | 'story.answered_odd'
  | 'story.answered_refusal'
  | 'story.nobody'
  | 'story.refused'
  | 'story.left'
  | 'story.cut'
  | 'story.replayed'
  | 'story.joined'
  | 'story.queued'
  | 'story.cached'
  | 'story.default_answer'
  | 'story.estimated'
  | 'story.maybe';

/** How codes and figures are written in the reader's language. */
export interface Writing {
  readonly term: (kind: 'class' | 'skip', code: string) => string;
  readonly duration: (ms: number) => string;
  readonly instant: (iso: string) => string;
}

/** `503 overloaded`, `timed out`. */
export function whatFailed(
  attempt: { readonly status: number | null; readonly class: string | null },
  { term }: Pick<Writing, 'term'>,
): string {
  const words = attempt.class === null ? '' : term('class', attempt.class);
  // A status that promised an answer is no part of why there was none.
  const status = (attempt.status ?? 0) >= 400 ? String(attempt.status) : '';
  return [status, words].filter((part) => part !== '').join(' ');
}

const plain = (key: StoryKey, values: Values = {}): Sentence => ({ key, values, tone: 'plain' });

function opening(record: RequestRecord): Sentence[] {
  const { requested_model: model, virtual_model: virtual, chain } = record;
  if (model === null) return [plain('story.asked_nothing')];
  if (virtual !== null) return [plain('story.asked_virtual', { virtual, model })];
  const asked = plain('story.asked', { model });
  // A default model stands in for one that is not enabled: what was asked for is no part of the chain then.
  if (chain.length === 0 || chain.includes(model)) return [asked];
  return [asked, plain('story.stood_in', { model, other: chain[0] ?? '' })];
}

/** Why a model of the chain was never called although its turn came: the reason of its first candidate that has one. */
function notCalled(record: RequestRecord, model: string, writing: Writing): Sentence[] {
  const own = record.candidates.filter((candidate) => candidate.model === model);
  const reason = own.find(({ skip_reason }) => skip_reason !== null);
  if (reason === undefined || reason.skip_reason === null) return [];
  const values = { model, reason: writing.term('skip', reason.skip_reason) };
  if (reason.available_at === null) return [{ key: 'story.not_called', values, tone: 'bad' }];
  const until = writing.instant(reason.available_at);
  return [{ key: 'story.not_called_until', values: { ...values, until }, tone: 'bad' }];
}

/** The model, with its channel where several of them were tried. */
function named({ model, channel }: Attempt, { attempts }: RequestRecord): string {
  const several = attempts.some((other) => other.model === model && other.channel !== channel);
  return several ? `${model} (${channel})` : model;
}

function ofAttempt(attempt: Attempt, record: RequestRecord, writing: Writing): Sentence {
  const { reason } = attempt;
  const model = named(attempt, record);
  const values = { model, ms: writing.duration(attempt.latency_ms), what: whatFailed(attempt, writing), reason };
  switch (attempt.result) {
    case 'served':
      if (record.outcome === 'safety_refusal') return { key: 'story.answered_refusal', values, tone: 'bad' };
      if (attempt.suspicious) return { key: 'story.answered_odd', values, tone: 'bad' };
      return { key: 'story.answered', values, tone: attempt.model === record.requested_model ? 'ok' : 'cover' };
    case 'interrupted':
      return { key: 'story.broke', values, tone: 'bad' };
    case 'cancelled':
      return plain(attempt.hedge ? 'story.parallel' : 'story.dropped', values);
    case 'late_success':
      return plain('story.late', values);
    default:
      return { key: attempt.rehearsed === true ? 'story.failed_rehearsed' : 'story.failed', values, tone: 'bad' };
  }
}

/** Failures of one channel in a row are one sentence. */
function grouped(attempts: readonly Attempt[]): Attempt[][] {
  const groups: Attempt[][] = [];
  for (const attempt of attempts) {
    const open = groups.at(-1);
    const last = open?.at(-1);
    const place = last?.model === attempt.model && last.channel === attempt.channel;
    const same = place && last.result === 'failed' && attempt.result === 'failed';
    if (open && same && last.rehearsed === attempt.rehearsed) open.push(attempt);
    else groups.push([attempt]);
  }
  return groups;
}

function ofGroup(group: readonly Attempt[], record: RequestRecord, writing: Writing): Sentence[] {
  const [first] = group;
  const last = group.at(-1);
  if (first === undefined || last === undefined) return [];
  if (group.length === 1) return [ofAttempt(first, record, writing)];
  const what = [...new Set(group.map((attempt) => whatFailed(attempt, writing)))].join(', ');
  const ms = writing.duration(Date.parse(last.started_at) + last.latency_ms - Date.parse(first.started_at));
  const key = first.rehearsed === true ? 'story.rehearsed_often' : 'story.failed_often';
  return [{ key, values: { model: named(first, record), count: group.length, what, ms }, tone: 'bad' }];
}

function closing(record: RequestRecord): Sentence[] {
  const values = { status: record.status, code: record.error_code ?? '' };
  const reasons = new Set(record.degraded_reasons);
  switch (record.ending) {
    case 'failed':
      return [{ key: 'story.nobody', values, tone: 'bad' }];
    case 'rejected':
      return [{ key: 'story.refused', values, tone: 'bad' }];
    case 'interrupted':
      return [{ key: 'story.cut', values, tone: 'bad' }];
    case 'client_closed':
      return [{ key: 'story.left', values, tone: 'bad' }];
    case 'replayed':
      return [{ key: 'story.replayed', values, tone: 'ok' }];
    case 'joined':
      return [{ key: 'story.joined', values, tone: 'ok' }];
    case 'queued':
      return [{ key: 'story.queued', values: { ...values, job: record.job?.id ?? '' }, tone: 'cover' }];
    default:
      if (reasons.has('cached')) return [{ key: 'story.cached', values, tone: 'cover' }];
      if (reasons.has('default_answer')) return [{ key: 'story.default_answer', values, tone: 'cover' }];
      if (reasons.has('estimated') && record.served_model === null)
        return [{ key: 'story.estimated', values, tone: 'cover' }];
      return [];
  }
}

/** The whole story, in the order in which it happened. */
export function storyOf(record: RequestRecord, writing: Writing): Sentence[] {
  const sentences = opening(record);
  const tried = new Set(record.attempts.map(({ model }) => model));
  const told = new Set<string>();
  // Models of the chain before the one at hand whose turn came and went without a call.
  const passedOver = (until: string | null) => {
    for (const model of record.chain) {
      if (model === until) return;
      if (tried.has(model) || told.has(model)) continue;
      told.add(model);
      sentences.push(...notCalled(record, model, writing));
    }
  };
  for (const group of grouped(record.attempts)) {
    passedOver(group[0]?.model ?? null);
    sentences.push(...ofGroup(group, record, writing));
  }
  if (record.served_model === null && record.ending !== 'client_closed') passedOver(null);
  const abandoned = record.attempts.some(({ maybe_executed, result }) => maybe_executed && result === 'failed');
  if (abandoned) sentences.push({ key: 'story.maybe', values: {}, tone: 'bad' });
  return [...sentences, ...closing(record)];
}
