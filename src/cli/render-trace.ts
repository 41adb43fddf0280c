/** One request's trace as a tree that can be read aloud: how it came in, what was considered, what was tried, why. */
import { usd } from '../core/limits/limit-error.ts';
import type { AttemptRecord, CandidateRecord, RequestRecord } from '../core/record.ts';
import { type Paint, tame } from './paint.ts';

/** `1204.25` → `1.2 s`, `40.2` → `40 ms`, `0.42` → `0.4 ms`. */
export function formatMs(ms: number): string {
  if (ms >= 60_000) return `${(ms / 60_000).toFixed(1)} min`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}

const STAGE_SIGNS: Readonly<Record<string, string>> = {
  receive: '①',
  plan: '②',
  admit: '③',
  upstream: '④',
  deliver: '⑤',
};

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function headLines(record: RequestRecord, paint: Paint): string[] {
  const good = record.ending === 'served' || record.ending === 'replayed' || record.ending === 'joined';
  const colour = good ? paint.good : paint.bad;
  const code = record.error_code === null ? '' : ` ${record.error_code}`;
  const asked = record.requested_model ?? '(no model)';
  const stream = record.stream ? ' stream' : '';
  const lines = [
    `${paint.bold(record.id)}  ${colour(`${record.status} ${record.ending}${code}`)}  ${formatMs(record.latency_ms)}`,
    `${record.at}  ${record.endpoint}${stream}  workspace ${record.workspace}, key ${record.key ?? '(none)'}, policy ${record.policy}`,
  ];
  if (record.served_model === null) lines.push(`model ${asked}, answered by nobody`);
  else if (record.served_model === asked) lines.push(`model ${paint.good(asked)}`);
  else lines.push(`model ${asked}, answered by ${paint.note(record.served_model)}`);
  const virtual = record.virtual_model === null ? '' : `virtual model ${record.virtual_model}: `;
  if (record.chain.length > 1 || virtual !== '') lines.push(`${virtual}chain ${record.chain.join(' → ')}`);
  if (record.degraded) lines.push(`degraded: ${record.degraded_reasons.join(', ') || 'yes'}`);
  if (record.client_request_id !== null) lines.push(`client request id ${record.client_request_id}`);
  if (record.client_retry.count > 0) {
    const { count, how, upstream_calls } = record.client_retry;
    const calls = plural(upstream_calls, 'upstream call');
    lines.push(`the client's own retry no. ${count} (${how ?? 'guessed'}): ${calls} for this business request so far`);
  }
  for (const { field, asked: wanted, given } of record.clamped ?? [])
    lines.push(`${field} ${wanted} clamped to ${given}`);
  return lines;
}

function stageLine(record: RequestRecord): string[] {
  if (record.stages.length === 0) return [];
  const stages = record.stages.map((stage) => {
    const attempts = stage.attempts === undefined ? '' : ` · ${plural(stage.attempts, 'attempt')}`;
    return `${STAGE_SIGNS[stage.name] ?? '·'} ${stage.name} ${formatMs(stage.ms)}${attempts}`;
  });
  return [stages.join('   ')];
}

function target(part: { model: string; channel: string; credential: string | null }): string {
  return `${part.model} via ${part.channel}${part.credential === null ? '' : ` (${part.credential})`}`;
}

function candidateLine(candidate: CandidateRecord, paint: Paint): string {
  const name = `${candidate.rank}. ${target(candidate)}`;
  if (candidate.skip_reason !== null) {
    const until = candidate.available_at === null ? '' : ` until ${candidate.available_at}`;
    // An open circuit puts a target last; everything else leaves it out or passes it over.
    const how = candidate.skip_reason === 'circuit_open' ? 'behind the others' : 'left out';
    return paint.dim(`${name}  ${how}: ${candidate.skip_reason}${until}`);
  }
  return candidate.tried ? `${name}  tried` : paint.dim(`${name}  not reached`);
}

function attemptLines(attempt: AttemptRecord, paint: Paint): string[] {
  const served = attempt.result === 'served';
  const colour = served ? paint.good : attempt.result === 'cancelled' ? paint.dim : paint.bad;
  const status = attempt.status === null ? 'no answer' : String(attempt.status);
  const first = attempt.ttft_ms === null ? '' : `, first token after ${formatMs(attempt.ttft_ms)}`;
  const kind = attempt.class === null ? '' : ` ${attempt.class}`;
  const result = served ? `${attempt.result} ${status}` : `${attempt.result} ${status}${kind}`;
  const lines = [`${attempt.no}. ${target(attempt)}  ${colour(result)}  ${formatMs(attempt.latency_ms)}${first}`];
  const said = [attempt.provider_code, attempt.provider_message].filter((part) => part !== null && part !== '');
  if (said.length > 0)
    lines.push(
      `   ${attempt.rehearsed === true ? 'as if the upstream had said' : 'upstream said'}: ${said.join(': ')}`,
    );
  if (attempt.retry_after_ms !== null) {
    lines.push(
      `   asked to wait ${formatMs(attempt.retry_after_ms)} (${attempt.retry_after_source ?? 'unknown source'})`,
    );
  }
  if (attempt.rehearsed === true) lines.push(paint.note('   rehearsed: it failed on purpose, no upstream was called'));
  if (attempt.maybe_executed) lines.push(paint.note('   the upstream may have done the work'));
  if (attempt.suspicious) lines.push(paint.note('   the stream ended in an odd way'));
  if (attempt.changes.length > 0) lines.push(`   changed on the way: ${attempt.changes.join(', ')}`);
  lines.push(`   → ${paint.bold(attempt.decision)}: ${attempt.reason}`);
  return lines;
}

function usageLines(record: RequestRecord): string[] {
  const { usage } = record;
  if (usage === null) return [];
  const show = (count: number | null): string => (count === null ? '?' : String(count));
  const estimated = usage.estimated === true ? ' (estimated)' : '';
  return [`tokens: ${show(usage.input_tokens)} in, ${show(usage.output_tokens)} out${estimated}${costWords(record)}`];
}

function costWords({ cost_nano_usd: cost, waste_nano_usd: waste }: RequestRecord): string {
  const priced = cost === null ? '' : `; cost ${usd(BigInt(cost))} USD`;
  return waste === null || waste === 0 ? priced : `${priced}; wasted ${usd(BigInt(waste))} USD`;
}

/** Every line tamed first, coloured after: `paint` is handed texts that hold no control characters. */
function tamed(record: RequestRecord): RequestRecord {
  return JSON.parse(JSON.stringify(record), (_, value: unknown) =>
    typeof value === 'string' ? tame(value) : value,
  ) as RequestRecord;
}

function branch(title: string, blocks: readonly (readonly string[])[]): string[] {
  const lines = [title];
  blocks.forEach((block, index) => {
    const last = index === blocks.length - 1;
    block.forEach((line, row) => {
      lines.push(`${row === 0 ? (last ? '└─ ' : '├─ ') : last ? '   ' : '│  '}${line}`);
    });
  });
  return lines;
}

/** The tree, without a line break at its end. */
export function renderTrace(raw: RequestRecord, paint: Paint): string {
  const record = tamed(raw);
  const lines = [...headLines(record, paint), ...stageLine(record)];
  const groups = (record.skipped_groups ?? []).map((group) => [
    paint.dim(`and ${group.count} more left out: ${group.skip_reason}`),
  ]);
  if (record.candidates.length > 0) {
    const blocks = [...record.candidates.map((candidate) => [candidateLine(candidate, paint)]), ...groups];
    lines.push('', ...branch(`${paint.bold('Candidates')} ${paint.dim('(ranked, not necessarily called)')}`, blocks));
  }
  const attempts = record.attempts.map((attempt) => attemptLines(attempt, paint));
  if (attempts.length > 0) lines.push('', ...branch(paint.bold('Attempts'), attempts));
  else lines.push('', paint.dim('No upstream was called.'));
  const usage = usageLines(record);
  if (usage.length > 0) lines.push('', ...usage);
  return lines.join('\n');
}
