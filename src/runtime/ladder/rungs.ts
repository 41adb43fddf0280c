/** The rungs of E-4, one by one: what each has to give, null where it has nothing. */
import { gatewayError } from '../../core/errors/catalogue.ts';
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { compileGuardrails } from '../../core/plan/guardrails.ts';
import type { Operation } from '../../core/wire-names.ts';
import type { AnswerWrite } from '../../dialects/contract.ts';
import type { Gateway } from '../gateway.ts';
import type { Job } from '../job.ts';
import { keptRef } from './kept-ref.ts';

/** An answer that no upstream gave to this request. */
export interface StandIn {
  readonly servedModel: string;
  /** `cached` or `default_answer`, and what else is not as asked. */
  readonly degradedReasons: readonly string[];
  /** Null = it turned out not to be readable. */
  readonly render: (write: AnswerWrite) => Uint8Array | null;
}

/** The model that a static answer names: none that anybody could call. */
export const NO_MODEL = 'understudy/default';

/** The newest kept answer to the same request, if the model that gave it may still be called by it (G-2, G-3). */
export async function keptAnswer(gateway: Gateway, job: Job, maxAgeMs: number): Promise<StandIn | null> {
  const workspace = job.snapshot.workspaces.get(job.workspace);
  if (workspace === undefined || workspace.answers === null) return null;
  const ref = keptRef(job);
  if (ref === null) return null;
  const wall = gateway.storeClock.wall();
  const kept = await gateway.ladder.kept.newest(ref, wall - maxAgeMs, wall);
  if (kept === null || kept.stream !== job.request.stream) return null;
  const { servedModel } = kept;
  const allowed = job.chain.entries.some(({ model }) => job.snapshot.models[model]?.id === servedModel);
  if (!allowed || compileGuardrails(workspace.guardrails).deniesModel(servedModel)) return null;
  const { body } = kept;
  return {
    servedModel,
    degradedReasons: ['cached', ...kept.degradedReasons],
    render: (write) => (kept.stream ? streamAgain(job, body, write) : wholeAgain(job, body, write)),
  };
}

function wholeAgain({ codec }: Job, body: Uint8Array, write: AnswerWrite): Uint8Array | null {
  const answer = codec.readAnswer(body);
  return answer === null ? null : codec.writeAnswer(answer, write);
}

/** The stream as it was, with this request's report in the place of the old one. */
function streamAgain({ codec, request }: Job, body: Uint8Array, write: AnswerWrite): Uint8Array | null {
  const options = {
    servedModel: write.servedModel,
    includeUsage: request.includeUsage,
    n: request.n,
    maxEventBytes: body.length,
    maxPreludeBytes: body.length,
    holdAll: false,
    maxHeldBytes: body.length,
  };
  const tap = codec.streamTap(options, request);
  tap.push(body);
  tap.end();
  if (!tap.complete || tap.fault !== null) return null;
  return Buffer.concat([tap.drain() ?? new Uint8Array(), tap.tail(write.report, write.classic)]);
}

const TEXTS: ReadonlySet<Operation> = new Set(['generate', 'completions']);

/** The configured text; null = its name is gone from the configuration, or no text was asked for. */
export function staticStandIn(gateway: Gateway, job: Job, name: string): StandIn | null {
  const text = job.snapshot.answers.get(name);
  // Nothing but text can be made of a configured text.
  if (text === undefined || !TEXTS.has(job.route.operation)) return null;
  const { codec, request, identity } = job;
  return {
    servedModel: NO_MODEL,
    degradedReasons: ['default_answer'],
    render: (write) => {
      const { requestId: id } = identity;
      const createdAt = gateway.clock.wall();
      const answer = codec.staticAnswer({ text, id, model: NO_MODEL, createdAt, n: request.n });
      return request.stream ? codec.answerToStream(answer, write, request) : codec.writeAnswer(answer, write);
    },
  };
}

/** Nobody knows when it is over: a guess that a client can live with, and no invitation (D-7). */
const GUESSED_WAIT_MS = 5000;

/** A plain word instead of the upstreams' own; `error`: what the request would have ended with. */
export function busyError(error: GatewayError, wall: number): GatewayError {
  return gatewayError('service_busy', 'the service is busy at the moment; please try again after `Retry-After`', {
    attempts: error.attempts,
    retryAt: error.retryAt ?? wall + GUESSED_WAIT_MS,
    shouldRetry: error.shouldRetry,
  });
}
