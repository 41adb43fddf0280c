/** The simulator's own endpoints under `/__sim/`, for tests in other processes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Call, callToJson } from './calls.ts';
import { parseScript, ScriptError } from './script/load.ts';
import type { Script } from './script/step.ts';

/** What the endpoints act on. */
export interface Controlled {
  readonly calls: readonly Call[];
  readonly script: Script;
  setScript(script: Script): Promise<void>;
  reset(): Promise<void>;
  openSockets(): number;
}

/** Answers `/__sim/calls`, `/__sim/reset`, `/__sim/script`, `/__sim/sockets`. */
export async function handleControl(
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  simulator: Controlled,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://simulator');
  const route = `${request.method} ${url.pathname}`;
  switch (route) {
    case 'GET /__sim/calls':
      return sendJson(response, 200, { calls: selectCalls(simulator.calls, url.searchParams).map(callToJson) });
    case 'GET /__sim/sockets':
      return sendJson(response, 200, { open: simulator.openSockets() });
    case 'GET /__sim/script':
      return sendJson(response, 200, simulator.script);
    case 'POST /__sim/reset':
      await simulator.reset();
      return sendJson(response, 200, { ok: true });
    case 'PUT /__sim/script':
      return putScript(body, response, simulator);
    default:
      return sendJson(response, 404, {
        error: {
          message: `No such control endpoint: ${route}`,
          type: 'invalid_request_error',
          param: null,
          code: 'not_found',
        },
      });
  }
}

/** The script is only exchanged when the new one is right. */
async function putScript(body: Buffer, response: ServerResponse, simulator: Controlled): Promise<void> {
  try {
    const script = parseScript(body.toString('utf8'));
    await simulator.setScript(script);
    sendJson(response, 200, { ok: true, models: Object.keys(script.models) });
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    sendJson(response, 400, { error: { message: error.message, problems: error.problems, code: 'invalid_script' } });
  }
}

function selectCalls(calls: readonly Call[], query: URLSearchParams): Call[] {
  const after = Number(query.get('after') ?? 0);
  const model = query.get('model');
  return calls.filter((call) => call.no > after && (model === null || call.model === model));
}

/** Sends JSON with its length. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const bytes = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.byteLength });
  response.end(bytes);
}
