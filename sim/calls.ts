/** What the simulator has been asked: the evidence tests read. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** One call seen. Instants are milliseconds since 1970 with fractions, monotonic: several simulators' calls can be ordered. */
export interface Call {
  /** 1, 2, … in order of arrival. */
  readonly no: number;
  /** The simulator's name. */
  readonly who: string;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** The secret the caller showed, in whatever header; null = none. */
  readonly credential: string | null;
  readonly headers: IncomingHttpHeaders;
  /** Connections are counted from 1; `reused` = not the connection's first request. */
  readonly connection: number;
  readonly reused: boolean;
  /** Null until the body has arrived, and when it is no Chat request. */
  model: string | null;
  bodyBytes: number;
  /** SHA-256 of the body, hex; null until it has arrived whole. */
  bodyDigest: string | null;
  /** The body itself, as long as the simulator's memory for bodies lasts. */
  body: Buffer | null;
  /** What answered: `script`, `x-sim`, the ready-made name, or `ok`. */
  answeredBy: string | null;
  status: number | null;
  /** The caller closed the connection before the answer was complete. */
  closedByPeerAt: number | null;
  /** The answer was complete, or the simulator broke it off. */
  endedAt: number | null;
}

/** Bounds what the list holds: load tests make millions of calls. */
export interface CallLimits {
  readonly calls: number;
  readonly bodyBytes: number;
}

export const DEFAULT_CALL_LIMITS: CallLimits = { calls: 10_000, bodyBytes: 64 * 1024 * 1024 };

/** The newest calls, oldest first. */
export class CallList {
  readonly list: Call[] = [];
  readonly #limits: CallLimits;
  #seen = 0;
  #heldBytes = 0;

  constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  add(call: Omit<Call, 'no'>): Call {
    this.#seen += 1;
    const added: Call = { ...call, no: this.#seen };
    this.list.push(added);
    // Dropping in bulk keeps the cost of a full list constant per call.
    if (this.list.length >= this.#limits.calls * 2) {
      for (const old of this.list.splice(0, this.list.length - this.#limits.calls)) {
        this.#heldBytes -= old.body?.byteLength ?? 0;
      }
    }
    return added;
  }

  /** Notes a call's body, and keeps it while there is room. */
  setBody(call: Call, body: Buffer): void {
    call.bodyBytes = body.byteLength;
    call.bodyDigest = createHash('sha256').update(body).digest('hex');
    if (this.#heldBytes + body.byteLength > this.#limits.bodyBytes) return;
    this.#heldBytes += body.byteLength;
    call.body = body;
  }

  clear(): void {
    this.list.length = 0;
    this.#heldBytes = 0;
    this.#seen = 0;
  }
}

/** The caller's secret, from whichever header its kind of provider uses. */
export function credentialOf(headers: IncomingHttpHeaders): string | null {
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  for (const name of ['x-api-key', 'api-key', 'x-goog-api-key']) {
    const value = headers[name];
    if (typeof value === 'string') return value;
  }
  return headers.authorization ?? null;
}

/** A call as JSON shows it: the body as text. */
export function callToJson(call: Call): Record<string, unknown> {
  return { ...call, body: call.body?.toString('utf8') ?? null };
}
