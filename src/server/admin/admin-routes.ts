/** Every admin route, for the plane itself and for its description. */
import type { AdminDeps } from './admin-deps.ts';
import type { AdminRoute } from './admin-route.ts';
import { ALERT_SCHEMAS, alertRoutes } from './alert-routes.ts';
import { APPLY_SCHEMAS, applyRoutes } from './apply-routes.ts';
import { AUDIT_SCHEMAS, auditRoutes } from './audit-routes.ts';
import { BALANCE_SCHEMAS, balanceRoutes } from './balance-routes.ts';
import { credentialOrderRoutes } from './credential-order.ts';
import { CREDENTIAL_SCHEMAS, credentialRoutes } from './credential-routes.ts';
import { DELIVERY_SCHEMAS, deliveryRoutes } from './delivery-routes.ts';
import { ENTITLEMENT_SCHEMAS, entitlementRoutes } from './entitlement-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { KEY_SCHEMAS, keyRoutes } from './key-routes.ts';
import { liftRoutes } from './key-use.ts';
import { MEMBER_SCHEMAS, memberRoutes } from './member-routes.ts';
import { MODEL_SCHEMAS, modelRoutes } from './model-routes.ts';
import { RECORD_SCHEMAS } from './openapi-schemas.ts';
import { OVERVIEW_SCHEMAS, overviewRoutes } from './overview-routes.ts';
import { PLAN_SCHEMAS, planRoutes } from './plan-routes.ts';
import { POLICY_SCHEMAS, policyRoutes } from './policy-routes.ts';
import { requestRoutes } from './request-routes.ts';
import { RUNNING_SCHEMAS, runningRoutes } from './running-routes.ts';
import { SEAL_SCHEMAS, sealRoutes } from './seal-routes.ts';
import { USAGE_SCHEMAS, usageRoutes } from './usage-routes.ts';
import { VIRTUAL_MODEL_SCHEMAS, virtualModelRoutes } from './virtual-model-routes.ts';
import { WEBHOOK_SCHEMAS, webhookRoutes } from './webhook-routes.ts';
import { WHAT_IF_SCHEMAS, whatIfRoutes } from './what-if-routes.ts';
import { WORKSPACE_SCHEMAS, workspaceRoutes } from './workspace-routes.ts';

const GROUPS: readonly ((deps: AdminDeps) => readonly AdminRoute[])[] = [
  overviewRoutes,
  requestRoutes,
  exportRoutes,
  runningRoutes,
  healthRoutes,
  alertRoutes,
  planRoutes,
  usageRoutes,
  workspaceRoutes,
  balanceRoutes,
  keyRoutes,
  liftRoutes,
  credentialRoutes,
  credentialOrderRoutes,
  memberRoutes,
  modelRoutes,
  virtualModelRoutes,
  policyRoutes,
  whatIfRoutes,
  webhookRoutes,
  deliveryRoutes,
  auditRoutes,
  sealRoutes,
  entitlementRoutes,
  applyRoutes,
];

export function adminRoutes(deps: AdminDeps): AdminRoute[] {
  return GROUPS.flatMap((routesOf) => routesOf(deps));
}

/** JSON Schemas by the names that the routes' answers refer to. */
export const ADMIN_SCHEMAS: Readonly<Record<string, object>> = {
  ...RECORD_SCHEMAS,
  ...OVERVIEW_SCHEMAS,
  ...RUNNING_SCHEMAS,
  ...ALERT_SCHEMAS,
  ...PLAN_SCHEMAS,
  ...USAGE_SCHEMAS,
  ...WORKSPACE_SCHEMAS,
  ...BALANCE_SCHEMAS,
  ...KEY_SCHEMAS,
  ...CREDENTIAL_SCHEMAS,
  ...MEMBER_SCHEMAS,
  ...MODEL_SCHEMAS,
  ...VIRTUAL_MODEL_SCHEMAS,
  ...POLICY_SCHEMAS,
  ...WHAT_IF_SCHEMAS,
  ...WEBHOOK_SCHEMAS,
  ...DELIVERY_SCHEMAS,
  ...AUDIT_SCHEMAS,
  ...SEAL_SCHEMAS,
  ...ENTITLEMENT_SCHEMAS,
  ...APPLY_SCHEMAS,
};
