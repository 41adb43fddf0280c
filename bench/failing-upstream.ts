/**
 * An upstream that fails a share of its requests in every way that can still be mended: before the first content.
 * Which request fails, and how, follows from its number and the seed alone, not from timing: a run can be checked
 * against what must happen.
 */
import { createServer, type ServerResponse } from 'node:http';
import { streamWrites } from './body.ts';
import { listen, Player, readWhole, type Upstream } from './upstream.ts';

const error = (type: string, message: string) => JSON.stringify({ error: { message, type, code: null, param: null } });
const role =
  '{"id":"c","object":"chat.completion.chunk","created":1,"model":"static","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}';

type Fail = (response: ServerResponse, stream: boolean) => void;

function json(status: number, body: string): Fail {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

/** For streams `events` and then the end; for others a body that is no answer. */
function inside(events: string, body: string): Fail {
  return (response, stream) => {
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
    response.end(stream ? events : body);
  };
}

/** No 429 among them: a rate limit rightly rests the target, and what the whole chain can do would change with it. */
const WAYS: readonly Fail[] = [
  json(500, error('server_error', 'The server had an error while processing your request.')),
  json(503, error('server_error', 'The engine is currently overloaded.')),
  json(529, error('overloaded_error', 'Overloaded')),
  (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>'),
  (response) => response.socket?.resetAndDestroy(),
  (response) => response.socket?.destroy(),
  inside(`data: ${error('server_error', 'internal')}\n\n`, error('server_error', 'internal')),
  inside(`data: ${role}\n\n`, '{"id":"c","object":"chat.completion","choices":[{"index":0,"mess'),
  inside('', ''),
  // Silence: the attempt's own timeout must end it.
  () => undefined,
];

/** Spreads (seed, place, number) evenly over 32 bits. */
function hash(...parts: readonly number[]): number {
  let state = 0x9e3779b9;
  for (const part of parts) {
    state = Math.imul(state ^ part, 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
    state ^= state >>> 16;
  }
  return state >>> 0;
}

export interface FailureProfile {
  readonly seed: number;
  /** 0 to 1. */
  readonly share: number;
}

/** Whether the upstream at `place` fails request `number`. */
export function fails(profile: FailureProfile, place: number, number: number): boolean {
  return hash(profile.seed, place, number) / 2 ** 32 < profile.share;
}

export interface FailingUpstream extends Upstream {
  /** Requests received whole so far. */
  readonly calls: number;
}

export async function startFailingUpstream(profile: FailureProfile, place: number): Promise<FailingUpstream> {
  const player = new Player(streamWrites(12), 0);
  let calls = 0;
  const server = createServer(async (request, response) => {
    const body = await readWhole(request);
    calls += 1;
    const number = Number(/request (\d+):/.exec(body.toString('latin1'))?.[1] ?? 0);
    if (!fails(profile, place, number)) return player.answer(response, body);
    const way = WAYS[hash(number, place, profile.seed) % WAYS.length];
    way?.(response, body.includes('"stream":true'));
  });
  const { url, close } = await listen(server);
  return {
    url,
    close,
    get calls() {
      return calls;
    },
  };
}
