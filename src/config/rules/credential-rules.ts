/** Credentials: what a schema can not see. */
import { isKeyFile } from '../../providers/auth.ts';
import { presets } from '../../providers/presets.ts';
import { mappingAt, type Review, report, reportUnknown, textAt } from './loose.ts';
import { addressFault, isProvider, providerNames } from './upstream-rules.ts';

/** A workspace's own address for its provider. Platform credentials go where the provider says. */
function checkOwnAddress(review: Review, path: readonly string[], byok: boolean): void {
  const at = [...path, 'base_url'];
  const address = textAt(review, ...at);
  if (address === null) return;
  if (!byok) report(review, 'invalid_value', at, 'only byok credentials have an address of their own', 'key');
  const fault = /^https?:\/\/\S+$/.test(address) ? addressFault(address, true) : null;
  if (fault !== null) report(review, 'invalid_value', at, fault);
}

/** A key file is exchanged for tokens; it fits into no header. */
function checkKeyFile(review: Review, path: readonly string[], provider: string): void {
  const preset = presets.get(textAt(review, 'providers', provider, 'type') ?? '');
  const secret = textAt(review, ...path, 'secret');
  if (secret === null || preset === undefined || preset.auth === 'service-account' || !isKeyFile(secret)) return;
  report(review, 'invalid_value', [...path, 'secret'], `type ${preset.type} takes a key, not a key file`);
}

export function checkCredentials(review: Review): void {
  const workspaces = ['default', ...Object.keys(mappingAt(review, 'workspaces'))];
  for (const name of Object.keys(mappingAt(review, 'credentials'))) {
    const path = ['credentials', name];
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
      report(review, 'invalid_value', path, 'the name must be of letters, digits, dot, dash and underscore', 'key');
    }
    const provider = textAt(review, ...path, 'provider');
    if (provider !== null && !isProvider(review)(provider)) {
      reportUnknown(review, [...path, 'provider'], 'provider', provider, providerNames(review));
    }
    const byok = mappingAt(review, ...path)['kind'] === 'byok';
    const owned = Object.hasOwn(mappingAt(review, ...path), 'workspace');
    if (byok && !owned)
      report(
        review,
        'missing_key',
        [...path, 'workspace'],
        'is required: a byok credential belongs to a workspace',
        'key',
      );
    if (owned && !byok)
      report(
        review,
        'invalid_value',
        [...path, 'workspace'],
        'only byok credentials belong to a workspace: add `kind: byok`, or leave it out',
      );
    checkOwnAddress(review, path, byok);
    if (provider !== null) checkKeyFile(review, path, provider);
    const workspace = textAt(review, ...path, 'workspace');
    if (workspace !== null && !workspaces.includes(workspace)) {
      reportUnknown(review, [...path, 'workspace'], 'workspace', workspace, workspaces);
    }
  }
}
