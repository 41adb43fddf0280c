/** Bodies and secrets as the admin plane sends them. What is wrong is a `ClientError` 400 naming the field. */
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import type { StoredObject } from '../../ports/object-store.ts';
import { CREDENTIAL_SECRET } from '../schema/fields.ts';
import type { ObjectKind } from './config-objects.ts';
import { type Body, isSealed, KEPT_FIELDS, OBJECT_NAME, type ObjectProblem, SECTIONS } from './stored-entry.ts';

export interface NewBody {
  /** Without name and secret. */
  readonly fields: Body;
  /** In plain; null = none was sent. */
  readonly secret: string | null;
}

/** A body in the file's form may hold its name and its secret. */
export function takeApart(kind: ObjectKind, name: string, body: Body, apart: string | undefined): NewBody {
  const { secretField } = SECTIONS[kind];
  const fields: Record<string, unknown> = { ...body };
  for (const field of KEPT_FIELDS) {
    if (Object.hasOwn(fields, field)) throw refused(field, 'is unknown');
  }
  if (kind === 'webhook' && Object.hasOwn(fields, 'previous_secret')) throw refused('previous_secret', 'is unknown');
  if (kind === 'key' && Object.hasOwn(fields, 'name')) {
    if (fields['name'] !== name) throw refused('name', 'must be the name the object has');
    delete fields['name'];
  }
  const written = secretField === null ? undefined : fields[secretField];
  if (secretField !== null) delete fields[secretField];
  const secret = apart ?? written ?? null;
  if (secret === null) return { fields, secret };
  if (secretField === null) throw refused('secret', 'has no place here: a workspace has none');
  checkSecret(kind, secretField, secret);
  return { fields, secret };
}

/** Shorter ones could be found by trying. Providers' secrets are as long as providers make them. */
const SHORTEST_KEY = 16;
/** The longest of any provider have two thousand. Every six characters of a secret are looked for in what is shown (E-5). */
const LONGEST_SECRET = 4096;
const REFERENCE = /\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/;

function checkSecret(kind: ObjectKind, field: string, secret: unknown): asserts secret is string {
  const form = kind === 'credential' ? CREDENTIAL_SECRET : /^[\x21-\x7e]+$/;
  if (typeof secret !== 'string' || !form.test(secret)) {
    throw refused(field, 'must be a text of visible ASCII characters without spaces or line breaks');
  }
  if (secret.length > LONGEST_SECRET) throw refused(field, `must have at most ${LONGEST_SECRET} characters`);
  if (REFERENCE.test(secret)) throw refused(field, 'must be the secret itself: the environment is read for files only');
  if (kind !== 'credential' && secret.length < SHORTEST_KEY) {
    throw refused(field, `must have at least ${SHORTEST_KEY} characters`);
  }
}

/**
 * What stands for the secret an object has; without one it can't be made. A credential sent to another address needs its
 * secret again: who may change a credential may not read it, nor have it sent to a server of their own.
 */
export function keptSecret(kind: ObjectKind, known: StoredObject | undefined, fields: Body): Record<string, unknown> {
  const { secretField } = SECTIONS[kind];
  if (secretField === null) return {};
  const address = fields['base_url'] ?? null;
  if (known !== undefined && address !== null && address !== known.body['base_url']) {
    const message = `The parameter \`${secretField}\` is required with another \`base_url\`: the kept secret was not given for that address.`;
    throw new ClientError(gatewayError('missing_required_parameter', message, { param: secretField }));
  }
  const field = isSealed(kind) ? 'sealed' : 'hash';
  const value = known?.body[field];
  const before = known?.body['sealed_previous'];
  if (value !== undefined) return { [field]: value, ...(before === undefined ? {} : { sealed_previous: before }) };
  const message = `The parameter \`${secretField}\` is required to make a ${kind}.`;
  throw new ClientError(gatewayError('missing_required_parameter', message, { param: secretField }));
}

/** Throws for a name that no object may have. */
export function checkName(name: string): void {
  if (OBJECT_NAME.test(name)) return;
  throw refused('name', 'must be 1 to 128 letters, digits, dots, dashes and underscores, the first a letter or digit');
}

export function refused(field: string, expected: string): ClientError {
  const message = `The parameter \`${field}\` ${expected}.`;
  return new ClientError(gatewayError('invalid_parameter', message, { param: field }));
}

export function refusedField({ field, message }: ObjectProblem): ClientError {
  if (field === '') return new ClientError(gatewayError('invalid_parameter', `The object ${message}.`));
  return new ClientError(
    gatewayError('invalid_parameter', `The parameter \`${field}\`: ${message}.`, { param: field }),
  );
}
