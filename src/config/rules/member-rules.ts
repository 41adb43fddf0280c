/** Members: their workspaces, and that no token opens two doors. */
import { listAt, mappingAt, type Review, report, reportUnknown, textAt } from './loose.ts';

export function checkMembers(review: Review): void {
  const workspaces = ['default', ...Object.keys(mappingAt(review, 'workspaces'))];
  const seen = knownSecrets(review);
  for (const name of Object.keys(mappingAt(review, 'members'))) {
    const path = ['members', name];
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
      report(review, 'invalid_value', path, 'the name must be of letters, digits, dot, dash and underscore', 'key');
    }
    checkWorkspace(review, path, workspaces);
    const token = textAt(review, ...path, 'token');
    if (token === null) continue;
    const other = seen.get(token);
    if (other === undefined) seen.set(token, `the member \`${name}\``);
    else {
      const message = `${other} has the same secret; every member needs its own`;
      report(review, 'duplicate', [...path, 'token'], message);
    }
  }
}

function checkWorkspace(review: Review, path: readonly string[], workspaces: readonly string[]): void {
  const role = textAt(review, ...path, 'role');
  const workspace = textAt(review, ...path, 'workspace');
  const missing = !Object.hasOwn(mappingAt(review, ...path), 'workspace');
  if (role === 'account_admin' && !missing) {
    report(review, 'invalid_value', [...path, 'workspace'], 'an account admin belongs to no workspace; leave it out');
  } else if ((role === 'workspace_admin' || role === 'member') && missing) {
    report(review, 'missing_key', [...path, 'workspace'], `is required for the role ${role}`, 'key');
  } else if (workspace !== null && role !== 'account_admin' && !workspaces.includes(workspace)) {
    reportUnknown(review, [...path, 'workspace'], 'workspace', workspace, workspaces);
  }
}

/** Secrets that open something already → what has them. */
function knownSecrets(review: Review): Map<string, string> {
  const seen = new Map<string, string>();
  const add = (secret: string | null, owner: string): void => {
    if (secret !== null) seen.set(secret, owner);
  };
  add(textAt(review, 'admin', 'token'), '`admin.token`');
  add(textAt(review, 'server', 'metrics_token'), '`server.metrics_token`');
  listAt(review, 'keys').forEach((_, index) => {
    add(textAt(review, 'keys', index, 'secret'), `keys[${index}]`);
  });
  return seen;
}
