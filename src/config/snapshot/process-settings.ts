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
  readonly maxAnswerBytes: number;
  readonly logQueue: number;
  readonly metricsToken: Secret | null;
}
