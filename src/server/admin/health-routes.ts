/** The health board over HTTP (H-3). */
import type { TargetReport } from '../../core/health/board.ts';
import { mayCall } from '../../core/request/allowed-models.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { instant } from './managed.ts';
import { listOf, queryParameter, schemaRef, TEXT } from './openapi-parts.ts';
import { pageOf, pageParameters, readPage } from './paging.ts';
import { noSuch } from './refusals.ts';

/** A whole board fits one page for nearly everyone: an operator wants to see all of it. */
const MAX_LIMIT = 1000;

const ACTIONS = {
  reset: 'Forgets the cooldowns and the open circuit of a target, also for targets that share them. A drain stays.',
  drain: 'Takes a target out of every new plan; running calls finish.',
  undrain: 'Lets a drained target take part again.',
} as const;
type Action = keyof typeof ACTIONS;

export function healthRoutes(deps: AdminDeps): AdminRoute[] {
  const changes = Object.entries(ACTIONS).map(
    ([action, summary]): AdminRoute => ({
      method: 'POST',
      path: `/v1/health/targets/{id}/${action}`,
      summary,
      needs: 'targets.change',
      parameters: [],
      answer: schemaRef('HealthTarget'),
      audit: ({ id }) => ({ action: `target.${action}`, object: `target ${id}`, workspace: null }),
      handle: ({ id }) => change(deps, action as Action, id),
    }),
  );
  return [
    {
      method: 'GET',
      path: '/v1/health/targets',
      summary: 'Every target with its state, by id.',
      needs: 'targets.read',
      parameters: [
        queryParameter('workspace', TEXT, 'Only targets that its requests could use.'),
        ...pageParameters(MAX_LIMIT, MAX_LIMIT),
      ],
      answer: listOf('HealthTarget'),
      handle: (call) => listTargets(deps, call),
    },
    ...changes,
  ];
}

function listTargets(deps: AdminDeps, { query, scope }: AdminCall): object {
  const page = readPage(query, MAX_LIMIT, MAX_LIMIT);
  const workspace = query.text('workspace') ?? scope;
  // Another workspace than one's own has nothing to show; that it exists is nobody's business.
  if (scope !== null && workspace !== scope) return { data: [], next_cursor: null };
  const seen = workspace === null ? all(deps) : all(deps).filter((target) => serves(deps, target, workspace));
  const { data, next_cursor } = pageOf(seen, ({ id }) => id, page);
  return { data: data.map(shown), next_cursor };
}

/** Whether a workspace's requests could go there: a model it may use, by a platform credential or one of its own. */
function serves({ gateway }: AdminDeps, target: TargetReport, workspace: string): boolean {
  const snapshot = gateway.snapshot();
  if (!mayCall(snapshot.workspaces.get(workspace)?.enabledModels ?? [], target.model)) return false;
  if (target.credential === null) return true;
  const credential = snapshot.credentials.find(({ name }) => name === target.credential);
  return credential !== undefined && (credential.kind === 'platform' || credential.workspace === workspace);
}

function change(deps: AdminDeps, action: Action, id: string): object {
  const { board, clock } = deps.gateway;
  const done = action === 'drain' ? board.drain(id, clock.now()) : board[action](id);
  const target = done ? all(deps).find((one) => one.id === id) : undefined;
  if (target !== undefined) return shown(target);
  throw noSuch('target', id, '/v1/health/targets');
}

function all({ gateway }: AdminDeps): readonly TargetReport[] {
  return gateway.board.list(gateway.clock.now(), gateway.clock.wall());
}

/** Instants as text, like everywhere in the API. */
function shown(target: TargetReport): object {
  return { ...target, since: instant(target.since), until: instant(target.until), probe_at: instant(target.probe_at) };
}
