/** How much one workspace's admins may make. */
import { MOST_INSIDE, type ObjectKind, workspaceOf } from '../config/objects/config-objects.ts';
import { ClientError, gatewayError } from '../core/errors/catalogue.ts';
import { quotedName } from '../core/quoted-name.ts';
import type { StoredObject } from '../ports/object-store.ts';

/**
 * Every change looks at every object: one workspace's admin must not make changes slow for all. Throws `ClientError` 400
 * where the workspace is full; what the file gives it does not count.
 */
export function mustHaveRoom(objects: readonly StoredObject[], kind: ObjectKind, workspace: string): void {
  const most = MOST_INSIDE[kind];
  if (most === undefined) return;
  const own = objects.filter(
    (one) => one.kind === kind && workspaceOf({ kind, name: one.name, body: one.body }) === workspace,
  );
  if (own.length < most) return;
  const message = `The workspace ${quotedName(workspace)} has ${own.length} ${kind}s, and its admins can make ${most}: remove some, or ask an account admin.`;
  throw new ClientError(gatewayError('invalid_parameter', message));
}
