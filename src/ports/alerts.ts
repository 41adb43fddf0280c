import type { JsonObject } from '../core/failover/json-form.ts';

/** Something an operator should know. Recorded, counted, sent by webhook (G-7). */
export interface Alert {
  readonly kind: string;
  readonly message: string;
  readonly requestId: string | null;
  readonly at: number;
  /** Whose it is; absent or null = the operator's alone. */
  readonly workspace?: string | null;
  /** What programs are told beside the message, in its event. */
  readonly data?: JsonObject;
  /** Of a built-in alert (O-4), whose kind is `alert.NAME`: told once when it begins and once when it is over. */
  readonly signal?: AlertSignal;
}

export interface AlertSignal {
  readonly state: 'raised' | 'resolved';
  /** What it is about: a channel (`MODEL#ID`), a credential, a workspace; null = all requests. */
  readonly subject: string | null;
  /** The measured figure and the one it passed; null where there is none to measure. */
  readonly value: number | null;
  readonly threshold: number | null;
  /** Wall ms at which it began. */
  readonly since: number;
}

export interface Alerts {
  raise(alert: Alert): void;
}

/** Alerts that say the same, as one. Of a built-in alert: those of the same subject, with what was told last. */
export interface AlertGroup {
  readonly kind: string;
  readonly message: string;
  /** Wall ms. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
  /** Of the latest. */
  readonly requestId: string | null;
  readonly workspace: string | null;
  readonly signal: AlertSignal | null;
}

/** What can be asked of alerts that were raised at this process. */
export interface AlertHistory {
  /** Latest first, at most 200 groups. */
  recent(): AlertGroup[];
}
