/** Who answers a call: the X-Sim header, else the script, else the model's name. */
import { HEALTHY } from './answer/behaviour.ts';
import { readReadyMade, readyMadeNames } from './answer/ready-made.ts';
import { readXSim, type XSimCounter } from './answer/x-sim.ts';
import type { Ask, Asked, Fault, PlainAnswer, SimDialect } from './dialects/dialect.ts';
import { allDialects } from './dialects/table.ts';
import type { Chance } from './play/from-behaviour.ts';
import { replyOf } from './play/from-behaviour.ts';
import { drawBehaviour, replyOfStep } from './play/from-step.ts';
import { headerMap, type Reply } from './play/reply.ts';
import type { ScriptCursor } from './script/cursor.ts';
import type { Script } from './script/step.ts';

/** The chosen answer and, for the list of calls, who chose it. */
export interface Chosen {
  readonly reply: Reply;
  readonly answeredBy: string;
}

/** Chooses and composes the answer of one request. */
export function chooseReply(
  asked: Asked,
  xSim: string | undefined,
  reused: boolean,
  chance: Chance,
  cursor: ScriptCursor,
  counter: XSimCounter,
): Chosen {
  if (xSim !== undefined) {
    const wanted = readXSim(xSim);
    if (typeof wanted === 'string') {
      const fault = { status: 400, message: wanted, code: 'invalid_x_sim' };
      return { reply: errorReply(asked.dialect, fault), answeredBy: 'x-sim' };
    }
    if (counter.strikes(xSim, wanted.times)) {
      // A fault of reused connections lets fresh ones pass.
      const passes = wanted.behaviour.socket === 'rst_on_reuse_before_response' && !reused;
      return { reply: replyOf(passes ? HEALTHY : wanted.behaviour, asked, chance), answeredBy: 'x-sim' };
    }
  }
  const turn = cursor.take(asked.request.model, reused);
  if (turn !== null) return { reply: replyOfStep(turn.step, turn.run, asked, chance), answeredBy: 'script' };
  const found = readReadyMade(asked.request.model);
  if (typeof found === 'string') {
    const fault = { status: 404, message: found, param: 'model' };
    return { reply: errorReply(asked.dialect, fault), answeredBy: 'unknown' };
  }
  if (found === null) return { reply: replyOf(HEALTHY, asked, chance), answeredBy: 'ok' };
  const behaviour = found.random === undefined ? found : drawBehaviour(found.random, asked.request.model, chance);
  return { reply: replyOf(behaviour, asked, chance), answeredBy: asked.request.model };
}

/** An error of the simulator itself, in the dialect's form. */
export function errorReply(dialect: SimDialect, fault: Fault): Reply {
  return jsonReply({ status: fault.status, body: dialect.errorBody(fault) }, dialect.errorName?.(fault));
}

/** The models the script names, and the ready-made ones. */
export function modelList(ask: Ask, script: Script): Reply {
  const named = Object.keys(script.models).filter((name) => name !== '*');
  const names = [...new Set([...named, ...readyMadeNames()])];
  // The first dialect's list is what everybody else gets: it is asked last.
  for (const dialect of allDialects().toReversed()) {
    const list = dialect.listModels?.(ask, names) ?? null;
    if (list !== null) return jsonReply(list);
  }
  return errorReply(allDialects()[0], { status: 404 });
}

/** A JSON answer without faults. */
export function jsonReply(
  { status, body, contentType = 'application/json' }: PlainAnswer,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return {
    delayMs: 0,
    socket: null,
    status,
    headers: headerMap({ 'content-type': contentType }, headers),
    pieces: [bytes],
    length: bytes.byteLength,
    end: 'clean',
  };
}
