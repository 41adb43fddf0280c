/** How the admin plane says no. */
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import { quotedName } from '../../core/quoted-name.ts';

/** Not there, or not the caller's: one answer for both (G-8). `list` names where those that exist are listed. */
export function noSuch(what: string, name: string, list: string): ClientError {
  const message = `No ${what} ${quotedName(name, 256)} is known; GET /admin${list} lists them.`;
  return new ClientError(gatewayError('not_found', message));
}

/** G-8. `message` says what the role may not do. */
export function denied(message: string): ClientError {
  return new ClientError(gatewayError('permission_denied', message));
}

export function conflict(message: string): ClientError {
  return new ClientError(gatewayError('conflict', message));
}
