/** `GET /openapi.json`: the admin plane what callers read of themselves, and the operator's endpoints, made from the route tables. */

import { ACCESS } from '../../core/access/roles.ts';
import type { AdminRoute } from './admin-route.ts';
import { ADMIN_SCHEMAS } from './admin-routes.ts';
import { CALLER_ROUTES, CALLER_SCHEMAS, type CallerRoute } from './caller-routes.ts';
import { bodyJsonSchema } from './json-body.ts';
import { schemaRef } from './openapi-parts.ts';
import { SESSION_OPERATIONS, SESSION_SCHEMAS, SESSION_SCHEME } from './session-openapi.ts';

/** An endpoint outside `/admin`. */
export interface OpsRoute {
  readonly path: string;
  readonly summary: string;
  /** Status → what it means; bodies are small and self-explaining. */
  readonly answers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly token?: string;
}

const JSON_TYPE = 'application/json';
const ERROR = { 'application/json': { schema: schemaRef('Error') } };

/** The document as one JSON value. */
export function openapiDocument(admin: readonly AdminRoute[], ops: readonly OpsRoute[]): object {
  const paths: Record<string, object> = { ...SESSION_OPERATIONS };
  for (const route of admin) {
    const at = `/admin${route.path}`;
    paths[at] = { ...paths[at], [route.method.toLowerCase()]: adminOperation(route) };
  }
  for (const route of CALLER_ROUTES) paths[route.path] = { get: callerOperation(route) };
  for (const route of ops) paths[route.path] = { get: opsOperation(route) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Understudy admin API',
      version: '1',
      description:
        'Configuration, keys, credentials, money, the request log, the health of targets, what callers may see of themselves, and the endpoints an operator watches.',
    },
    paths,
    components: {
      securitySchemes: {
        admin: {
          type: 'http',
          scheme: 'bearer',
          description: 'The admin token of the configuration, or a member’s token.',
        },
        session: SESSION_SCHEME,
        client: { type: 'http', scheme: 'bearer', description: 'A client key.' },
        metrics: { type: 'http', scheme: 'bearer', description: '`server.metrics_token`; not needed on loopback.' },
      },
      schemas: { ...ADMIN_SCHEMAS, ...SESSION_SCHEMAS, ...CALLER_SCHEMAS },
    },
  };
}

function adminOperation(route: AdminRoute): object {
  const named = pathParameters(route.path);
  const { body } = route;
  const changes = route.method !== 'GET' && body !== undefined;
  return {
    summary: route.summary,
    description: rolesOf(route),
    security: [{ admin: [] }, { session: [] }],
    parameters: [
      ...named,
      ...(route.needs.endsWith('.change') && named.length > 0 ? [IF_MATCH] : []),
      ...route.parameters,
    ],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: bodyJsonSchema(body) } } } }),
    responses: {
      [String(route.status ?? 200)]: {
        description: 'Good.',
        content: Object.fromEntries((route.answerTypes ?? [JSON_TYPE]).map((type) => [type, { schema: route.answer }])),
      },
      '400': { description: 'A parameter or field cannot be used; `param` names it.', content: ERROR },
      '401': { description: 'The token is missing or wrong, or none is configured.', content: ERROR },
      '403': { description: 'The role of the caller does not allow it.', content: ERROR },
      ...(named.length > 0 ? { '404': { description: 'No such object.', content: ERROR } } : {}),
      ...(changes || route.method === 'DELETE'
        ? {
            '409': { description: 'It exists already, was changed meanwhile, or belongs to the file.', content: ERROR },
          }
        : {}),
      '503': { description: 'The store cannot be used at the moment.', content: ERROR },
    },
  };
}

/** The `{…}` of a path. */
function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function callerOperation({ path, summary, shape, tokens }: CallerRoute): object {
  const parameters = pathParameters(path);
  return {
    summary,
    security: tokens.map((token) => ({ [token]: [] })),
    parameters,
    responses: {
      '200': { description: 'Good.', content: { 'application/json': { schema: schemaRef(shape) } } },
      '401': { description: 'The key is missing, unknown or expired.', content: ERROR },
      ...(parameters.length > 0 ? { '404': { description: 'None of the caller’s own.', content: ERROR } } : {}),
      '503': { description: 'The store cannot be used at the moment.', content: ERROR },
    },
  };
}

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The `version` the change was made from; 409 when it is another by now.',
  schema: { type: 'string' },
};

/** G-8, in words. */
function rolesOf({ needs }: AdminRoute): string {
  const reach = ACCESS[needs];
  const own = reach.workspace_admin === 'own' ? ', and for a workspace admin inside its own workspace' : '';
  const both = reach.workspace_admin === 'all' ? ' and workspace admins' : '';
  return `For account admins${both}${own} (${needs}).`;
}

function opsOperation(route: OpsRoute): object {
  const content = { [route.contentType]: {} };
  return {
    summary: route.summary,
    ...(route.token === undefined ? {} : { security: [{}, { [route.token]: [] }] }),
    responses: Object.fromEntries(
      Object.entries(route.answers).map(([status, description]) => [status, { description, content }]),
    ),
  };
}
