/** The OpenAPI document as text, from the route tables: what `GET /openapi.json` of a running gateway answers. */
import type { AdminDeps } from '../../src/server/admin/admin-deps.ts';
import { adminRoutes } from '../../src/server/admin/admin-routes.ts';
import { openapiDocument } from '../../src/server/admin/openapi.ts';
import { OPS_ROUTES } from '../../src/server/admin/register-ops.ts';

/** Stands for every part of a gateway: routes are only described, none is called. */
const nothing: object = new Proxy(() => nothing, { get: () => nothing });

export function openapiText(): string {
  return JSON.stringify(openapiDocument(adminRoutes(nothing as AdminDeps), OPS_ROUTES), null, 2);
}
