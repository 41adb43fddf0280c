/** Who answers a call: the X-Sim header, else the script, else the model's name. */
import { HEALTHY } from './answer/behaviour.ts';
import { errorBody } from './answer/errors.ts';
import { readReadyMade, readyMadeNames } from './answer/ready-made.ts';
import type { ChatRequest } from './answer/request.ts';
import { readXSim, type XSimCounter } from './answer/x-sim.ts';
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

/** Chooses and composes the answer of one Chat request. */
export function chooseReply(
  request: ChatRequest,
  xSim: string | undefined,
  reused: boolean,
  chance: Chance,
  cursor: ScriptCursor,
  counter: XSimCounter,
): Chosen {
  if (xSim !== undefined) {
    const asked = readXSim(xSim);
    if (typeof asked === 'string') return { reply: errorReply(400, asked, null, 'invalid_x_sim'), answeredBy: 'x-sim' };
    if (counter.strikes(xSim, asked.times)) {
      // A fault of reused connections lets fresh ones pass.
      const passes = asked.behaviour.socket === 'rst_on_reuse_before_response' && !reused;
      return { reply: replyOf(passes ? HEALTHY : asked.behaviour, request, chance), answeredBy: 'x-sim' };
    }
  }
  const turn = cursor.take(request.model, reused);
  if (turn !== null) return { reply: replyOfStep(turn.step, turn.run, request, chance), answeredBy: 'script' };
  const found = readReadyMade(request.model);
  if (typeof found === 'string') {
    return { reply: errorReply(404, found, 'model', 'model_not_found'), answeredBy: 'unknown' };
  }
  if (found === null) return { reply: replyOf(HEALTHY, request, chance), answeredBy: 'ok' };
  const behaviour = found.random === undefined ? found : drawBehaviour(found.random, request.model, chance);
  return { reply: replyOf(behaviour, request, chance), answeredBy: request.model };
}

/** An error of the simulator itself, in the API's form. */
export function errorReply(status: number, message: string, param: string | null, code: string): Reply {
  const bytes = Buffer.from(errorBody({ message, type: 'invalid_request_error', param, code }));
  return {
    delayMs: 0,
    socket: null,
    status,
    headers: headerMap({ 'content-type': 'application/json' }),
    pieces: [bytes],
    length: bytes.byteLength,
    end: 'clean',
  };
}

/** `GET /models`: those the script names, and the ready-made ones. */
export function modelList(script: Script): Reply {
  const named = Object.keys(script.models).filter((name) => name !== '*');
  const names = [...new Set([...named, ...readyMadeNames()])];
  const data = names.map((id) => ({ id, object: 'model', created: 0, owned_by: 'simulator' }));
  const bytes = Buffer.from(JSON.stringify({ object: 'list', data }));
  return { ...errorReply(200, '', null, ''), pieces: [bytes], length: bytes.byteLength };
}
