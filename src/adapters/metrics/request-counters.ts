/** What is counted of each finished request (O-3): two map look-ups a counter, about 3 µs in all. */
import { Counter, type Registry } from 'prom-client';
import type { AttemptRecord, RecordDraft } from '../../core/record.ts';
import { type NamedModels, primaryOf, roleOf } from '../../core/signals/primary.ts';
import { isRepeat } from '../../core/signals/tallies.ts';
import { CounterCells } from './counter-cells.ts';
import { HistogramCells } from './histogram-cells.ts';
import { LabelValues, OTHER } from './label-value.ts';

/** Seconds. From a cached short answer to the longest stream worth telling apart. */
const REQUEST_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600];
const TTFT_BUCKETS = [0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 20, 30, 60];

export class RequestCounters {
  readonly #names: () => NamedModels;
  readonly #models = new LabelValues();
  readonly #channels = new LabelValues();
  readonly #endpoints = new LabelValues(100);
  readonly #requests;
  readonly #byRole;
  readonly #attempts;
  readonly #retries;
  readonly #fallbacks;
  readonly #seconds;
  readonly #ttft;
  readonly #maybeExecuted;
  readonly #cost;
  readonly #waste;

  /** @param names of the configuration in force: only its model names become label values */
  constructor(registry: Registry, names: () => NamedModels) {
    this.#names = names;
    const cells = (name: string, help: string, labels: readonly string[]): CounterCells =>
      new CounterCells(registry, name, help, labels);
    const counter = (name: string, help: string, labelNames: string[]): Counter =>
      new Counter({ name, help, labelNames, registers: [registry] });
    this.#requests = cells(
      'understudy_requests_total',
      'Requests by what the client asked for, what served it, and how it ended.',
      ['endpoint', 'model', 'served', 'outcome', 'ending'],
    );
    this.#byRole = cells(
      'understudy_role_requests_total',
      'Requests by whose answer, or whose last failure, the client got.',
      ['role', 'outcome'],
    );
    this.#attempts = cells(
      'understudy_attempts_total',
      'Upstream calls by target, failure class, result and what was decided next.',
      ['model', 'channel', 'class', 'result', 'decision', 'role'],
    );
    this.#retries = cells(
      'understudy_retries_total',
      'Requests with repeats at their own target, by whether a repeat answered them.',
      ['saved'],
    );
    this.#fallbacks = counter(
      'understudy_fallback_total',
      'Requests answered by another model than the one asked for.',
      [],
    );
    this.#seconds = new HistogramCells(
      registry,
      { name: 'understudy_request_seconds', help: 'Time from the first byte of a request to the last of its answer.' },
      ['endpoint', 'role'],
      REQUEST_BUCKETS,
    );
    this.#ttft = new HistogramCells(
      registry,
      {
        name: 'understudy_ttft_seconds',
        help: 'Time from the first byte of a request to the first content of its answer.',
      },
      ['endpoint', 'role'],
      TTFT_BUCKETS,
    );
    this.#maybeExecuted = counter(
      'understudy_maybe_executed_total',
      'Failed attempts that the upstream may have carried out and charged for.',
      ['model', 'channel'],
    );
    this.#cost = counter('understudy_cost_nano_usd_total', 'Cost of served answers in nano-dollars.', [
      'model',
      'role',
    ]);
    this.#waste = counter(
      'understudy_waste_nano_usd_total',
      'Cost of attempts that served nobody, in nano-dollars, by the model that was asked for or served.',
      ['model', 'role'],
    );
  }

  observe(draft: RecordDraft): void {
    const endpoint = this.#endpoints.of(draft.endpoint);
    const served = this.#model(draft.served_model);
    const model = this.#model(draft.requested_model);
    const primary = primaryOf(draft, this.#names());
    const role = roleOf(draft, primary);
    this.#requests.add([endpoint, model, served, draft.outcome, draft.ending]);
    this.#byRole.add([role, draft.outcome]);
    if (draft.served_model !== null && draft.served_model !== primary) this.#fallbacks.inc();
    for (const attempt of draft.attempts) this.#attempt(attempt, primary);
    if (draft.attempts.length > 1) this.#repeats(draft.attempts);
    if (draft.latency_ms >= 0) this.#seconds.observe([endpoint, role], draft.latency_ms / 1000);
    if (draft.ttft_ms !== null && draft.ttft_ms >= 0) this.#ttft.observe([endpoint, role], draft.ttft_ms / 1000);
    const paid = draft.served_model === null ? model : served;
    if (isAmount(draft.cost_nano_usd)) this.#cost.inc({ model: paid, role }, draft.cost_nano_usd);
    if (isAmount(draft.waste_nano_usd)) this.#waste.inc({ model: paid, role }, draft.waste_nano_usd);
  }

  #attempt(attempt: AttemptRecord, primary: string | null): void {
    // No upstream was called (H-2, X-4).
    if (attempt.rehearsed === true) return;
    const model = this.#model(attempt.model);
    const channel = this.#channels.of(attempt.channel);
    const role = attempt.model === primary ? 'primary' : 'fallback';
    this.#attempts.add([model, channel, attempt.class ?? 'none', attempt.result, attempt.decision, role]);
    if (attempt.maybe_executed) this.#maybeExecuted.inc({ model, channel });
  }

  #repeats(attempts: readonly AttemptRecord[]): void {
    const calls = attempts.filter(({ rehearsed }) => rehearsed !== true);
    const repeats = calls.filter((_, i) => isRepeat(calls, i));
    if (repeats.length === 0) return;
    this.#retries.add([repeats.some(({ result }) => result === 'served') ? 'true' : 'false']);
  }

  /** Names a client invented are all one. */
  #model(name: string | null): string {
    if (name !== null && !this.#names().modelById.has(name)) return OTHER;
    return this.#models.of(name);
  }
}

/** A counter never falls, and nothing unknown is added up. */
function isAmount(value: number | null): value is number {
  return value !== null && value > 0;
}
