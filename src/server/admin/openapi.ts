/** `GET /openapi.json`: the admin plane and the operator's endpoints, made from the route tables. */
import type { AdminRoute } from './admin-route.ts';
import { schemaRef } from './openapi-parts.ts';
import { SCHEMAS } from './openapi-schemas.ts';

/** An endpoint outside `/admin`. */
export interface OpsRoute {
  readonly path: string;
  readonly summary: string;
  /** Status → what it means; bodies are small and self-explaining. */
  readonly answers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly token?: string;
}

const ERROR = { 'application/json': { schema: schemaRef('Error') } };

/** The document as one JSON value. */
export function openapiDocument(admin: readonly AdminRoute[], ops: readonly OpsRoute[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of admin) {
    const at = `/admin${route.path}`;
    paths[at] = { ...paths[at], [route.method.toLowerCase()]: adminOperation(route) };
  }
  for (const route of ops) paths[route.path] = { get: opsOperation(route) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Understudy admin API',
      version: '1',
      description: 'The request log, the health of targets, and the endpoints an operator watches.',
    },
    paths,
    components: {
      securitySchemes: {
        admin: { type: 'http', scheme: 'bearer', description: 'The admin token of the configuration.' },
        metrics: { type: 'http', scheme: 'bearer', description: '`server.metrics_token`; not needed on loopback.' },
      },
      schemas: SCHEMAS,
    },
  };
}

function adminOperation(route: AdminRoute): object {
  const named = route.path.includes('{id}');
  const id = {
    name: 'id',
    in: 'path',
    required: true,
    schema: { type: 'string' },
  };
  return {
    summary: route.summary,
    security: [{ admin: [] }],
    parameters: [...(named ? [id] : []), ...route.parameters],
    responses: {
      '200': { description: 'Good.', content: { 'application/json': { schema: route.answer } } },
      '400': { description: 'A parameter cannot be read; `param` names it.', content: ERROR },
      '401': { description: 'The admin token is missing or wrong, or none is configured.', content: ERROR },
      ...(named ? { '404': { description: 'No such object.', content: ERROR } } : {}),
      '503': { description: 'The log cannot be read at the moment.', content: ERROR },
    },
  };
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
