/** The audit log over HTTP (G-7, G-8): read only; a workspace's admin sees what was done to its workspace. */
import type { StoredAuditEntry } from '../../ports/audit.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { badParameter } from './bad-parameter.ts';
import { instant } from './managed.ts';
import { INSTANT, listOf, object, queryParameter, TEXT, TEXT_OR_NULL } from './openapi-parts.ts';
import { pageParameters } from './paging.ts';
import { fromStore } from './store-trouble.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;
/** The place of an entry, as the log gave it. */
const CURSOR = /^\d{1,15}-\d{1,15}$/;
const FIELDS = { type: ['object', 'null'], description: 'Its fields; never a secret.' } as const;

export const AUDIT_SCHEMAS: Readonly<Record<string, object>> = {
  AuditEntry: object({
    seq: { ...TEXT, description: 'Grows with every entry that is written.' },
    at: INSTANT,
    actor: { ...TEXT, description: '`admin`, a member’s name, `gateway`, `file`, or `key NAME`.' },
    action: { ...TEXT, description: 'As in `key.create`, `balance.topup`, `request.failover`.' },
    object: { ...TEXT, description: 'What it was done to: its kind and name.' },
    workspace: { ...TEXT_OR_NULL, description: 'Whose it is; null = the account’s.' },
    request_id: TEXT_OR_NULL,
    before: FIELDS,
    after: FIELDS,
    ip: { ...TEXT_OR_NULL, description: 'Of the caller; told to account admins.' },
  }),
};

const INSTANT_FILTER = { type: 'string', format: 'date-time' } as const;

export function auditRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/audit',
      summary: 'Who did what, the newest first.',
      needs: 'audit.read',
      parameters: [
        queryParameter('from', INSTANT_FILTER, 'Not before this instant.'),
        queryParameter('to', INSTANT_FILTER, 'Before this instant.'),
        queryParameter('workspace', TEXT, 'Only what was done to this workspace.'),
        queryParameter('actor', TEXT, 'Only what this one did.'),
        queryParameter('action', TEXT, 'Only this action.'),
        queryParameter('object', TEXT, 'Only what was done to this: its kind and name, as in `key dev`.'),
        queryParameter('request_id', TEXT, 'Only what this request or call did.'),
        ...pageParameters(DEFAULT_LIMIT, MAX_LIMIT),
      ],
      answer: listOf('AuditEntry'),
      handle: (call) => listAudit(deps, call),
    },
  ];
}

async function listAudit({ audit }: AdminDeps, { query, scope }: AdminCall): Promise<object> {
  const asked = query.text('workspace');
  const cursor = query.text('cursor');
  if (cursor !== undefined && !CURSOR.test(cursor)) throw badParameter('cursor', 'is not one that a list returned');
  const filter = {
    from: query.instant('from'),
    to: query.instant('to'),
    workspace: scope ?? asked,
    actor: query.text('actor'),
    action: query.text('action'),
    object: query.text('object'),
    requestId: query.text('request_id'),
    cursor,
  };
  const limit = query.whole('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT;
  // Another workspace's are not there for it.
  if (scope !== null && asked !== undefined && asked !== scope) return { data: [], next_cursor: null };
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const page = await fromStore(() => audit.list({ ...given, limit }));
  return { data: page.data.map((entry) => shown(entry, scope)), next_cursor: page.next_cursor };
}

function shown(
  { seq, at, actor, action, object: what, workspace, requestId, before, after, ip }: StoredAuditEntry,
  scope: string | null,
): object {
  return {
    seq,
    at: instant(at),
    actor,
    action,
    object: what,
    workspace,
    request_id: requestId,
    before,
    after,
    ip: scope === null ? ip : null,
  };
}
