/** What is about to be sent, as the form has it; begun from the address, so that a request's page can lead here. */
import type { DialectName } from './dialects.ts';
import { type FaultName, rehearsalOf } from './rehearsal.ts';
import type { Order } from './send.ts';

export interface Draft {
  readonly dialect: DialectName;
  /** The one asked for and its covers, in order; empty = none at this place. */
  readonly models: readonly string[];
  readonly text: string;
  readonly stream: boolean;
  readonly policy: string | null;
  readonly fault: FaultName;
  readonly times: number;
  readonly workspace: string;
}

/** A chain has at most three models (C-1). */
const CHAIN = 3;

/** `?model=…&fallback=…,…&policy=…&stream=1`. */
export function draftOf(params: URLSearchParams, text: string, workspace: string): Draft {
  const named = [params.get('model') ?? '', ...(params.get('fallback') ?? '').split(',')].slice(0, CHAIN);
  return {
    dialect: 'chat',
    models: Array.from({ length: CHAIN }, (_, index) => named[index] ?? ''),
    text,
    stream: (params.get('stream') ?? '') !== '',
    policy: params.get('policy'),
    fault: 'none',
    times: 1,
    workspace,
  };
}

export function orderOf({ dialect, models, text, stream, policy, fault, times }: Draft): Order {
  return {
    dialect,
    models: models.map((name) => name.trim()).filter((name) => name !== ''),
    text,
    stream,
    policy,
    rehearsal: rehearsalOf(fault, times),
  };
}
