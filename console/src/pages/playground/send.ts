/** Sends one request to the data plane and tells of its answer as it comes. */
import { type DialectName, dialectOf, parsed } from './dialects.ts';
import { EventLines } from './event-lines.ts';

export interface Order {
  readonly dialect: DialectName;
  /** In order; the first one is asked for. */
  readonly models: readonly string[];
  readonly text: string;
  readonly stream: boolean;
  /** Null = the key's own. */
  readonly policy: string | null;
  readonly rehearsal: string | null;
}

/** An answer as far as it has come. */
export interface Answer {
  readonly status: number | null;
  /** The gateway's id of the request; null before its head. */
  readonly requestId: string | null;
  readonly served: string | null;
  readonly attempts: string | null;
  readonly degraded: string | null;
  readonly text: string;
  readonly raw: string;
  /** How it ended; null = it has not. `broken`: a stream without its end mark. */
  readonly end: 'whole' | 'refused' | 'broken' | 'stopped' | 'lost' | null;
  /** Why the connection was lost. */
  readonly why: string;
  readonly tookMs: number | null;
}

export const NO_ANSWER: Answer = {
  status: null,
  requestId: null,
  served: null,
  attempts: null,
  degraded: null,
  text: '',
  raw: '',
  end: null,
  why: '',
  tookMs: null,
};

/** More of the bytes than this is not kept for showing. */
const MOST_RAW = 200_000;

interface Wire {
  readonly secret: string;
  /** Our own id, by which the trace is found while it grows. */
  readonly clientId: string;
  readonly signal: AbortSignal;
  readonly tell: (answer: Answer) => void;
}

/** Never rejects. */
export async function send(order: Order, wire: Wire): Promise<void> {
  const startedAt = performance.now();
  let answer = NO_ANSWER;
  const tell = (more: Partial<Answer>): void => {
    answer = { ...answer, ...more };
    wire.tell(answer);
  };
  try {
    const response = await call(order, wire);
    tell(headOf(response));
    await readBody(response, order, tell, () => answer);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    tell({ end: wire.signal.aborted ? 'stopped' : 'lost', why });
  }
  tell({ tookMs: performance.now() - startedAt });
}

function call(order: Order, { secret, clientId, signal }: Wire): Promise<Response> {
  const { dialect, models, text, stream, policy, rehearsal } = order;
  const way = dialectOf(dialect);
  const question = { model: models[0] ?? '', text, stream };
  return fetch(way.path(question), {
    method: 'POST',
    credentials: 'omit',
    signal,
    headers: {
      ...way.headers,
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'x-request-id': clientId,
      ...(models.length > 1 ? { 'x-understudy-models': models.join(',') } : {}),
      ...(policy === null ? {} : { 'x-understudy-redundancy': JSON.stringify({ policy }) }),
      ...(rehearsal === null ? {} : { 'x-understudy-rehearse': rehearsal }),
    },
    body: JSON.stringify(way.body(question)),
  });
}

function headOf({ status, headers }: Response): Partial<Answer> {
  return {
    status,
    requestId: headers.get('x-request-id'),
    served: headers.get('x-understudy-served-model'),
    attempts: headers.get('x-understudy-attempts'),
    degraded: headers.get('x-understudy-degraded'),
  };
}

async function readBody(
  response: Response,
  { dialect, stream }: Order,
  tell: (more: Partial<Answer>) => void,
  now: () => Answer,
): Promise<void> {
  const way = dialectOf(dialect);
  const isStream = stream && (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
  const events = new EventLines();
  const decoder = new TextDecoder();
  let ended = false;
  const reader = response.body?.getReader();
  for (;;) {
    const step = await reader?.read();
    const piece = decoder.decode(step?.value, { stream: step?.done === false });
    const { raw, text } = now();
    const more = { raw: (raw + piece).slice(0, MOST_RAW) };
    if (!isStream) tell(more);
    else {
      let added = '';
      for (const data of events.push(piece)) {
        const event = parsed(data);
        added += way.deltaOf(event);
        ended ||= way.isEnd(data, event);
      }
      tell({ ...more, text: text + added });
    }
    if (step?.done !== false) break;
  }
  if (isStream) {
    tell({ end: ended ? 'whole' : 'broken' });
    return;
  }
  tell({ text: way.textOf(parsed(now().raw)), end: response.ok ? 'whole' : 'refused' });
}
