/** The events and the audit entry of a finished request (G-7), from its record alone: once per request, whatever happened. */
import type { FailureClass } from '../failure.ts';
import type { AttemptRecord, RecordDraft } from '../record.ts';
import type { AuditEntry, NewEvent } from './event.ts';

export type EndedDraft = Pick<
  RecordDraft,
  | 'id'
  | 'client_request_id'
  | 'workspace'
  | 'key'
  | 'endpoint'
  | 'requested_model'
  | 'virtual_model'
  | 'served_model'
  | 'chain'
  | 'status'
  | 'outcome'
  | 'ending'
  | 'degraded'
  | 'attempts'
>;

export interface Told {
  readonly events: readonly NewEvent[];
  readonly audit: readonly AuditEntry[];
}

const NOTHING: Told = { events: [], audit: [] };

/** Faults of the credential itself (H-1): everybody who uses it will meet them. */
const UNHEALTHY: ReadonlySet<FailureClass> = new Set(['auth', 'permission', 'quota_exhausted']);

/**
 * `at`: wall ms of the end. `isByok`: whether a credential is its workspace's own; platform credentials are the account's
 * affair, and no workspace is told of them (G-8).
 */
export function eventsOf(draft: EndedDraft, at: number, isByok: (credential: string) => boolean): Told {
  const { attempts } = draft;
  const first = attempts[0];
  if (first === undefined) return NOTHING;
  const moved = attempts.some(({ model }) => model !== first.model);
  const unhealthy = attempts.filter(isUnhealthy);
  if (!moved && unhealthy.length === 0) return NOTHING;
  return {
    events: [
      ...(moved ? [failoverEvent(draft, at)] : []),
      ...firstOfEach(unhealthy).map((attempt) => unhealthyEvent(draft, attempt, at, isByok)),
    ],
    audit: moved ? [failoverEntry(draft, at)] : [],
  };
}

function isUnhealthy({ class: kind, credential, rehearsed }: AttemptRecord): boolean {
  return kind !== null && credential !== null && rehearsed !== true && UNHEALTHY.has(kind);
}

/** One per credential and class: several attempts with it say the same. */
function firstOfEach(attempts: readonly AttemptRecord[]): readonly AttemptRecord[] {
  const known = new Map(attempts.toReversed().map((one) => [`${one.credential} ${one.class}`, one]));
  return attempts.filter((one) => known.get(`${one.credential} ${one.class}`) === one);
}

function failoverEvent(draft: EndedDraft, at: number): NewEvent {
  const { attempts, key, endpoint, status, outcome, ending, degraded, chain } = draft;
  return {
    type: 'api:model_failover',
    at,
    workspace: draft.workspace,
    requestId: draft.id,
    data: {
      client_request_id: draft.client_request_id,
      key,
      endpoint,
      requested_model: draft.requested_model,
      virtual_model: draft.virtual_model,
      served_model: draft.served_model,
      chain,
      status,
      outcome,
      ending,
      degraded,
      attempts: attempts.map((one) => ({
        no: one.no,
        model: one.model,
        channel: one.channel,
        status: one.status,
        result: one.result,
        class: one.class,
        trigger: one.trigger,
        decision: one.decision,
      })),
    },
  };
}

function failoverEntry(draft: EndedDraft, at: number): AuditEntry {
  return {
    at,
    actor: draft.key === null ? 'gateway' : `key ${draft.key}`,
    action: 'request.failover',
    object: `request ${draft.id}`,
    workspace: draft.workspace,
    requestId: draft.id,
    before: { model: draft.requested_model },
    after: {
      model: draft.served_model,
      models: [...new Set(draft.attempts.map(({ model }) => model))],
      outcome: draft.outcome,
    },
    ip: null,
  };
}

function unhealthyEvent(
  draft: EndedDraft,
  { credential, provider, model, channel, class: kind, status }: AttemptRecord,
  at: number,
  isByok: (credential: string) => boolean,
): NewEvent {
  return {
    type: 'credential.unhealthy',
    at,
    workspace: isByok(credential ?? '') ? draft.workspace : null,
    requestId: draft.id,
    data: { credential, provider, model, channel, class: kind, status },
  };
}
