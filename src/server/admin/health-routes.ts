/** The health board over HTTP (H-3). */
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import type { TargetReport } from '../../core/health/board.ts';
import type { AdminGateway } from './admin-deps.ts';
import type { AdminRoute } from './admin-route.ts';
import { badParameter } from './bad-parameter.ts';
import { listOf, queryParameter, schemaRef } from './openapi-parts.ts';
import { QueryParameters } from './query-parameters.ts';

/** A whole board fits one page for nearly everyone: an operator wants to see all of it. */
const MAX_LIMIT = 1000;

const ACTIONS = {
  reset: 'Forgets the cooldowns and the open circuit of a target, also for targets that share them. A drain stays.',
  drain: 'Takes a target out of every new plan; running calls finish.',
  undrain: 'Lets a drained target take part again.',
} as const;
type Action = keyof typeof ACTIONS;

export function healthRoutes(gateway: AdminGateway): AdminRoute[] {
  const changes = Object.entries(ACTIONS).map(
    ([action, summary]): AdminRoute => ({
      method: 'POST',
      path: `/v1/health/targets/{id}/${action}`,
      summary,
      parameters: [],
      answer: schemaRef('HealthTarget'),
      handle: ({ query, id }) => {
        new QueryParameters(query, []);
        return change(gateway, action as Action, id);
      },
    }),
  );
  return [
    {
      method: 'GET',
      path: '/v1/health/targets',
      summary: 'Every target with its state, by id.',
      parameters: [
        queryParameter('limit', { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: MAX_LIMIT }, 'Page size.'),
        queryParameter('cursor', { type: 'string' }, '`next_cursor` of the page before.'),
      ],
      answer: listOf('HealthTarget'),
      handle: ({ query }) => listTargets(gateway, query),
    },
    ...changes,
  ];
}

function listTargets(gateway: AdminGateway, query: unknown): object {
  const parameters = new QueryParameters(query, ['limit', 'cursor']);
  const limit = parameters.whole('limit', 1, MAX_LIMIT) ?? MAX_LIMIT;
  const cursor = parameters.text('cursor');
  const after = cursor === undefined ? null : readCursor(cursor);
  const sorted = [...all(gateway)].sort((a, b) => (a.id < b.id ? -1 : 1));
  const left = after === null ? sorted : sorted.filter(({ id }) => id > after);
  const page = left.slice(0, limit);
  const last = left.length > page.length ? page.at(-1) : undefined;
  return {
    data: page.map(shown),
    next_cursor: last === undefined ? null : Buffer.from(`id ${last.id}`, 'utf8').toString('base64url'),
  };
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!text.startsWith('id ')) throw badParameter('cursor', 'is not one that a list returned');
  return text.slice('id '.length);
}

function change(gateway: AdminGateway, action: Action, id: string): object {
  const done = gateway.board[action](id);
  const target = done ? all(gateway).find((one) => one.id === id) : undefined;
  if (target !== undefined) return shown(target);
  const message = `No target ${JSON.stringify(id.slice(0, 256))} is known; GET /admin/v1/health/targets lists them.`;
  throw new ClientError(gatewayError('not_found', message));
}

function all(gateway: AdminGateway): readonly TargetReport[] {
  return gateway.board.list(gateway.clock.now(), gateway.clock.wall());
}

/** Instants as text, like everywhere in the API. */
function shown(target: TargetReport): object {
  return { ...target, until: instant(target.until), probe_at: instant(target.probe_at) };
}

function instant(wall: number | null): string | null {
  return wall === null ? null : new Date(wall).toISOString();
}
