/** Settings of the process, and of every stream it carries. */
import type { Secret } from './secret.ts';

export interface StreamingSettings {
  readonly keepAliveAfterMs: number;
  readonly keepAliveEveryMs: number;
  readonly maxEventBytes: number;
  readonly maxPreludeBytes: number;
}

export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly bodyLimit: number;
  readonly drainTimeoutMs: number;
  /** How long after SIGTERM requests are still taken. */
  readonly drainLeadMs: number;
  readonly maxAnswerBytes: number;
  readonly logQueue: number;
  readonly metricsToken: Secret | null;
}

/** O-4. Shares and ratios as in the file. */
export interface AlertSettings {
  readonly windowMs: number;
  readonly minRequests: number;
  readonly retryRate: number;
  readonly retrySuccess: number;
  readonly meanRetriesRatio: number;
  readonly fallbackRate: number;
  readonly p99Ratio: number;
  readonly throttle: boolean;
}

/** G-7: who is told of events. */
export interface WebhookEntry {
  readonly name: string;
  readonly url: string;
  /** The current one first; a second while the receiver changes over. */
  readonly secrets: readonly Secret[];
  /** Names, or patterns with `*`. */
  readonly events: readonly string[];
  /** Null = events of all workspaces and of the gateway itself. */
  readonly workspace: string | null;
  readonly enabled: boolean;
  /** `false` = of the store: its address is judged by G-9. */
  readonly ofFile: boolean;
}

/** Milliseconds each kind of record is kept. */
export interface RetentionSettings {
  readonly requestsMs: number;
  readonly eventsMs: number;
  readonly deliveriesMs: number;
  readonly auditMs: number;
  readonly signalsMs: number;
}

/** G-5. */
export interface EntitlementSettings {
  /** Names of providers; empty = no tokens. */
  readonly providers: ReadonlySet<string>;
  readonly ttlMs: number;
  readonly header: string;
  readonly issuer: string;
  readonly rotateEveryMs: number;
}
