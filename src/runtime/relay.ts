/**
 * Carries one run's answer to its client: opens with the right headers, streams with backpressure, and ends honestly:
 * a terminator only after a whole answer, one error event after anything else (T-4).
 */

import { gatewayError } from '../core/errors/catalogue.ts';
import { finalError } from '../core/errors/final-error.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import { upstreamAnswer } from '../core/errors/upstream-answer.ts';
import type { Verdict } from '../core/failover/machine.ts';
import { type Failure, makeFailure } from '../core/failure.ts';
import type { Ending } from '../core/record.ts';
import { type AnswerGate, CapturedAnswer } from './answer-gate.ts';
import type { AttemptTrace } from './attempt-trace.ts';
import { isNotedBefore, NotingGate, noteStates } from './bound-state.ts';
import { deliverError } from './deliver-error.ts';
import type { Delivery, FrameOf, HeaderList } from './delivery.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import { keepAliveRule } from './keep-alive.ts';
import { climb, type Rescue } from './ladder/climb.ts';
import { identityHeaders } from './response-headers.ts';
import type { Attempt } from './run-attempt.ts';
import type { FailoverClient, FailoverRun } from './run-failover.ts';
import { answerWrite, describeAnswer, headersOf, type ServedAnswer } from './served-answer.ts';

/** How the request ended for its client. */
export interface RelayResult {
  readonly verdict: Verdict;
  /** The HTTP status sent, or 499 when nobody was left to send it to. */
  readonly status: number;
  readonly error: GatewayError | null;
  readonly servedModel: string | null;
  readonly degradedReasons: readonly string[];
  /** Set where not the verdict says how it ended: the ladder answered (E-4). */
  readonly ending?: Ending;
  /** Id of the job that carries it out later. */
  readonly job?: string;
}

type ServedVerdict = Extract<Verdict, { readonly kind: 'served' }>;

/** Brings one run’s answer, or its error, to the client: one ending, told by `result`, which never rejects. */
export class Relay implements FailoverClient {
  readonly result: Promise<RelayResult>;
  readonly #gateway: Gateway;
  readonly #job: Job;
  readonly #delivery: Delivery;
  readonly #gate: AnswerGate | null;
  #resolve: (result: RelayResult) => void = () => {};
  #winner: Attempt | null = null;
  #served: ServedAnswer | null = null;
  /** What a stream was opened with; null = none was. */
  #head: HeaderList | null = null;
  #terminated = false;
  #climbed = false;
  /** What waits for the gate: a whole answer, or a stream made of one. */
  #waiting: Uint8Array | null = null;

  constructor(gateway: Gateway, job: Job, delivery: Delivery, gate: AnswerGate | null = null) {
    this.#gateway = gateway;
    this.#job = job;
    this.#delivery = delivery;
    this.#gate = isNotedBefore(job.route) ? new NotingGate(gateway, job, gate) : gate;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Keep-alives while nothing can be shown yet (T-11). */
  armKeepAlive(): void {
    const { snapshot, request, codec } = this.#job;
    const rule = keepAliveRule(snapshot, codec, request);
    if (rule !== null) this.#delivery.startKeepAlive(rule, () => identityHeaders(this.#job.identity));
  }

  /** The process stops: the run is to end as T-4's interruption, with code gateway_restarted. */
  terminate(run: FailoverRun): void {
    this.#terminated = true;
    run.clientGone(false);
  }

  committed(run: FailoverRun, attempt: Attempt): void {
    this.#delivery.stopKeepAlive();
    this.#winner = attempt;
    this.#served = describeAnswer(this.#job, run, attempt, this.#delivery.openedEarly);
    if (this.#job.request.stream) this.#openStream(run, attempt);
    else this.#sendWhole(run, attempt);
  }

  bytes(attempt: Attempt, bytes: Uint8Array): boolean {
    if (this.#delivery.write(bytes)) return true;
    this.#delivery.onDrain(() => attempt.resume());
    return false;
  }

  finished(run: FailoverRun, verdict: Verdict): void {
    if (this.#climbs(verdict)) {
      this.#climb(run, verdict);
      return;
    }
    if (verdict.kind === 'served') noteStates(this.#gateway, this.#job, traceOf(run, verdict));
    if (verdict.kind === 'served' && this.#gate !== null) void this.#endKept(run, verdict, this.#gate);
    else this.#conclude(verdict, this.#endWith(run, verdict));
  }

  #conclude(verdict: Verdict, error: GatewayError | null): void {
    const sent = this.#delivery.headersSent;
    this.#resolve({
      verdict,
      status: this.#statusFor(verdict, error, sent),
      error,
      servedModel: this.#served?.model ?? null,
      degradedReasons: this.#served?.degraded ?? [],
    });
  }

  /** E-4: once, and only where somebody asked for a ladder. */
  #climbs({ kind }: Verdict): boolean {
    const { options, route } = this.#job;
    if (this.#climbed || (options.onExhausted.length === 0 && route.estimated === undefined)) return false;
    return kind !== 'served' && kind !== 'interrupted' && kind !== 'client_closed';
  }

  #climb(run: FailoverRun, verdict: Verdict): void {
    this.#climbed = true;
    const ended = { state: run.state, attempts: run.traces.length };
    const delivery = this.#gate === null ? this.#delivery : new CapturedAnswer(this.#delivery);
    climb(this.#gateway, this.#job, ended, delivery)
      .then((rescue) => this.#rescued(run, verdict, rescue, delivery))
      .catch((error: unknown) => {
        this.#gateway.reportBug(error, this.#job.identity.requestId);
        this.crashed(run);
      });
  }

  async #rescued(run: FailoverRun, verdict: Verdict, rescue: Rescue | null, delivery: Delivery): Promise<void> {
    if (rescue === null) {
      this.finished(run, this.#delivery.gone ? { kind: 'client_closed' } : verdict);
    } else if ('error' in rescue) {
      const error = this.#endError(rescue.error, run.traces.length);
      const status = this.#statusFor(verdict, error, this.#delivery.headersSent);
      this.#resolve({ verdict, status, error, servedModel: null, degradedReasons: [] });
    } else {
      const error = delivery instanceof CapturedAnswer ? await this.#showKept(rescue.servedModel, delivery) : null;
      const { jobs } = this.#gateway.ladder;
      if (error === null) {
        if (rescue.job !== undefined) jobs.release(rescue.job);
        this.#resolve({ verdict, error, ...rescue });
        return;
      }
      if (rescue.job !== undefined) await jobs.withdraw(rescue.job);
      this.#refuse(run, { kind: 'served', attempt: 0 }, error);
    }
  }

  /** I-3 for an answer that no attempt made. */
  async #showKept(servedModel: string | null, answer: CapturedAnswer): Promise<GatewayError | null> {
    const { status, headers, body: last } = answer;
    const { stream } = this.#job.request;
    const kept = { attempt: null, status, servedModel, stream, headers, last, finished: true };
    const refused = (await this.#gate?.keep(kept)) ?? null;
    if (refused !== null) return refused;
    this.#delivery.open(status, headers);
    this.#delivery.end(last);
    return null;
  }

  crashed(run: FailoverRun): void {
    const sent = this.#delivery.headersSent;
    const error = gatewayError('internal_error', 'a fault inside the gateway; report it with the request id');
    this.#endError(error, run.traces.length);
    this.#resolve({
      verdict: { kind: 'exhausted', retryBudgetExhausted: false },
      status: sent ? 200 : error.status,
      error,
      servedModel: null,
      degradedReasons: [],
    });
  }

  #statusFor(verdict: Verdict, error: GatewayError | null, sent: boolean): number {
    if (verdict.kind === 'client_closed' && !this.#terminated) return 499;
    if (this.#served !== null || error === null) return 200;
    return sent && this.#delivery.openedEarly ? 200 : error.status;
  }

  #openStream(run: FailoverRun, attempt: Attempt): void {
    const served = this.#served!;
    this.#head = this.#headersOf(run, null);
    this.#delivery.open(200, this.#head);
    if (attempt.answer === null) {
      attempt.commit();
      return;
    }
    // F-5: a whole JSON answer to a stream request is turned into a stream.
    const { codec, request } = this.#job;
    attempt.commit();
    const events = codec.answerToStream(attempt.answer, answerWrite(this.#job, served), request);
    if (this.#gate === null) this.#delivery.write(events);
    else this.#waiting = events;
    attempt.completeWhole();
  }

  #sendWhole(run: FailoverRun, attempt: Attempt): void {
    const answer = attempt.answer!;
    const body = answer.raw?.bytes ?? this.#job.codec.writeAnswer(answer, answerWrite(this.#job, this.#served!));
    attempt.commit();
    if (this.#gate === null) this.#endWhole(run, body);
    else this.#waiting = body;
    attempt.completeWhole();
  }

  #endWhole(run: FailoverRun, body: Uint8Array): void {
    this.#delivery.open(200, this.#headersOf(run, body.length));
    this.#delivery.end(body);
  }

  #headersOf(run: FailoverRun, length: number | null): HeaderList {
    return headersOf(this.#job, run, { served: this.#served!, winner: this.#winner!, length });
  }

  /** I-3: the end is shown once the answer is kept, or never. */
  async #endKept(run: FailoverRun, verdict: ServedVerdict, gate: AnswerGate): Promise<void> {
    try {
      const { stream } = this.#job.request;
      const last = this.#waiting ?? this.#tail(run) ?? NOTHING;
      const refused = await gate.keep({
        attempt: verdict.attempt,
        status: 200,
        servedModel: this.#served!.model,
        stream,
        headers: this.#head ?? this.#headersOf(run, last.length),
        last,
        finished: this.#winner?.tap?.finished ?? true,
        trace: traceOf(run, verdict),
      });
      if (refused !== null) return this.#refuse(run, verdict, refused);
      if (stream) this.#delivery.end(last);
      else this.#endWhole(run, last);
      this.#conclude(verdict, null);
    } catch (error) {
      this.#gateway.reportBug(error, this.#job.identity.requestId);
      this.crashed(run);
    }
  }

  /** The answer is there and may not count: never a success to its client. */
  #refuse(run: FailoverRun, { attempt }: ServedVerdict, error: GatewayError): void {
    const { status, message } = error;
    const failure = makeFailure({ class: 'gateway_rejected', status, message, phase: 'body' });
    const begun = this.#delivery.headersSent;
    if (!begun) this.#served = null;
    // T-4: one code for every stream that ends without its end.
    const told = begun ? gatewayError('stream_interrupted', message) : error;
    this.#endError(told, run.traces.length);
    this.#conclude({ kind: begun ? 'interrupted' : 'stopped', attempt, failure }, told);
  }

  /** Writes the end the verdict asks for; returns the error the client got, null when it got its answer. */
  #endWith(run: FailoverRun, verdict: Verdict): GatewayError | null {
    switch (verdict.kind) {
      case 'served':
        this.#delivery.end(this.#tail(run));
        return null;
      case 'interrupted':
        return this.#endError(interruption(verdict.failure), run.traces.length);
      case 'client_closed':
        if (this.#terminated)
          return this.#endError(
            // No invitation (D-7): nobody knows when it is back, nor what the upstream has done by now.
            gatewayError('gateway_restarted', 'the gateway stopped while this request ran; no answer is complete'),
            run.traces.length,
          );
        this.#delivery.stopKeepAlive();
        return null;
      default:
        return this.#endError(finalError(run.state, { wallNow: this.#gateway.clock.wall() }), run.traces.length);
    }
  }

  /** The held end of a stream; null = there is none. */
  #tail(run: FailoverRun): Uint8Array | null {
    const winner = this.#winner;
    const tap = winner?.tap ?? null;
    if (winner === null || tap === null) return null;
    // What an answer loses on its way is known at its end: too late for the headers, not for the report.
    if (tap.dropped !== undefined && tap.dropped.length > 0) {
      this.#served = describeAnswer(this.#job, run, winner, this.#delivery.openedEarly);
    }
    return tap.tail(this.#served?.report ?? null, this.#job.classic);
  }

  #endError(error: GatewayError, attempts: number): GatewayError {
    this.#delivery.stopKeepAlive();
    const frame = this.frameOf(error);
    if (this.#delivery.fail !== undefined) this.#delivery.fail(error, attempts, frame);
    else {
      const { codec, identity, classic } = this.#job;
      const wall = this.#gateway.clock.wall();
      deliverError(this.#delivery, { codec, identity, classic, frame }, error, { attempts, wall });
    }
    return error;
  }

  /** The words for it in an open stream: those of the stream that was begun (T-4), else the dialect's own (T-11). */
  frameOf(error: GatewayError): FrameOf {
    const { codec, request } = this.#job;
    return (requestId) =>
      this.#winner?.tap?.interrupt?.(error, requestId) ?? codec.streamError(error, requestId, request);
  }
}

function traceOf({ traces }: FailoverRun, { attempt }: ServedVerdict): AttemptTrace | undefined {
  return traces.find(({ no }) => no === attempt);
}

function interruption(failure: Failure): GatewayError {
  return gatewayError(
    'stream_interrupted',
    `the answer broke off: ${upstreamAnswer(failure).message}; what was received is not complete`,
  );
}

const NOTHING = new Uint8Array(0);
