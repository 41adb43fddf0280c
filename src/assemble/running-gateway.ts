/** What a gateway is started with, and what its process holds of it while it runs. */
import type { LogDestination, LogLevel } from '../adapters/log/process-log.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Gateway } from '../runtime/gateway.ts';
import type { ReloadResult } from './configuration.ts';
import type { ConfigurationOrigin, ConfigurationSource } from './configuration-source.ts';

export interface StartOptions extends ConfigurationSource {
  /** Beat the configuration's. Port 0 = a free one. */
  readonly host?: string;
  readonly port?: number;
  readonly dataDir: string;
  /** Of the program, for those who share the store. */
  readonly version?: string;
  readonly log?: LogLevel;
  /** Where the process log goes; standard error without it. */
  readonly logTo?: { readonly destination: LogDestination };
  /** Tests only. `consoleFolder`: where the built console lies. */
  readonly consoleFolder?: string;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface RunningGateway {
  /** `http://HOST:PORT`. */
  readonly url: string;
  /** The address it listens on, as configured. */
  readonly host: string;
  readonly dataDir: string;
  /** What was made at the first start of this store and can't be shown again; null later. */
  readonly firstRun: { readonly clientKey: string; readonly adminToken: string } | null;
  /** Others may use the same store: its first key and token are everybody's. */
  readonly sharesStore?: boolean;
  /** Where the configuration in force came from. */
  origin(): ConfigurationOrigin;
  /** What the configuration in force leaves to what was made at the first start. */
  generated(): { readonly clientKey: boolean; readonly adminToken: boolean };
  /** The parts, for tests that look inside. */
  readonly gateway: Gateway;
  reload(): Promise<ReloadResult>;
  /** Serves for `drain_lead`, then refuses new requests, lets running ones finish, ends what is left after the time, closes. */
  drain(timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}
