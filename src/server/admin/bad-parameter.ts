/** Complaints about the query of an admin call. */
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';

/** A bad query parameter, named. */
export function badParameter(name: string, expected: string): ClientError {
  const message = `The parameter \`${name}\` ${expected}${/[.?!]$/.test(expected) ? '' : '.'}`;
  return new ClientError(gatewayError('invalid_parameter', message, { param: name }));
}
