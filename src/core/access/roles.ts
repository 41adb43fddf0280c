/**
 * Who may do what on the admin plane (G-8): the one table. Every route names the permission it needs; nothing else
 * decides about roles.
 */

/** From the one that may everything to the one that may least. */
export const ROLES = ['account_admin', 'workspace_admin', 'member'] as const;
/** Of a member; the admin token is an `account_admin`. */
export type Role = (typeof ROLES)[number];

/** How far a permission goes: everywhere, inside the caller's own workspace, nowhere. */
export type Reach = 'all' | 'own' | 'none';

const WORKSPACE_ADMINS: Readonly<Record<Role, Reach>> = {
  account_admin: 'all',
  workspace_admin: 'own',
  member: 'none',
};
const ACCOUNT_ADMINS: Readonly<Record<Role, Reach>> = { account_admin: 'all', workspace_admin: 'none', member: 'none' };
/** What is the same for everybody and names nobody. */
const ANY_ADMIN: Readonly<Record<Role, Reach>> = { account_admin: 'all', workspace_admin: 'all', member: 'none' };

/** Permission → how far it goes for each role. */
export const ACCESS = {
  /** Records with their routing trace; a member sees its own without one, on the data plane. */
  'requests.read': WORKSPACE_ADMINS,
  /** What would become of a request of a key, with everything a trace shows. */
  'plans.read': WORKSPACE_ADMINS,
  'usage.read': WORKSPACE_ADMINS,
  'targets.read': WORKSPACE_ADMINS,
  /** Of a workspace those that are its own; rates, circuits and credentials are the account's. */
  'alerts.read': WORKSPACE_ADMINS,
  /** Channels are shared by all workspaces: who drains one drains it for everybody. */
  'targets.change': ACCOUNT_ADMINS,
  'workspaces.read': WORKSPACE_ADMINS,
  /** Which fields: `mayChangeWorkspaceField`. */
  'workspaces.change': WORKSPACE_ADMINS,
  'workspaces.make': ACCOUNT_ADMINS,
  'keys.read': WORKSPACE_ADMINS,
  'keys.change': WORKSPACE_ADMINS,
  /** Bans are the account admin's (G-6, G-8). */
  'keys.lift': ACCOUNT_ADMINS,
  /** Of a workspace its own (`byok`); platform credentials are the account admin's. */
  'credentials.read': WORKSPACE_ADMINS,
  'credentials.change': WORKSPACE_ADMINS,
  'members.read': ACCOUNT_ADMINS,
  'members.change': ACCOUNT_ADMINS,
  'models.read': WORKSPACE_ADMINS,
  'policies.read': ANY_ADMIN,
  /** Of a workspace its own: they tell of nothing else. */
  'webhooks.read': WORKSPACE_ADMINS,
  'webhooks.change': WORKSPACE_ADMINS,
  'audit.read': WORKSPACE_ADMINS,
  'balance.read': WORKSPACE_ADMINS,
  'balance.change': ACCOUNT_ADMINS,
  /** The whole configuration, the sealing key. */
  'configuration.change': ACCOUNT_ADMINS,
} as const satisfies Readonly<Record<string, Readonly<Record<Role, Reach>>>>;

/** What a route needs. */
export type Permission = keyof typeof ACCESS;

/** How far a role’s permission goes. */
export function reachOf(role: Role, permission: Permission): Reach {
  return ACCESS[permission][role];
}

/**
 * What a workspace admin may change of its workspace. The rest is what the account grants it: models, channels, default
 * model, ceilings, limits and money.
 */
const OWN_WORKSPACE_FIELDS: ReadonlySet<string> = new Set([
  'routing',
  'virtual_models',
  'auto',
  'guardrails',
  'redundancy',
  'auto_idempotency',
  'idempotency_scope',
]);

/** @param field top-level field of a workspace, as in the configuration file */
export function mayChangeWorkspaceField(role: Role, field: string): boolean {
  return role === 'account_admin' || (role === 'workspace_admin' && OWN_WORKSPACE_FIELDS.has(field));
}
