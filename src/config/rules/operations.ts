/** Webhooks and entitlement: names, and what they refer to. */
import { listAt, mappingAt, type Review, report, reportUnknown, textAt } from './loose.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export function checkWebhooks(review: Review): void {
  const workspaces = ['default', ...Object.keys(mappingAt(review, 'workspaces'))];
  for (const name of Object.keys(mappingAt(review, 'webhooks'))) {
    const path = ['webhooks', name];
    if (!NAME.test(name)) {
      report(review, 'invalid_value', path, 'the name must be of letters, digits, dot, dash and underscore', 'key');
    }
    const url = textAt(review, ...path, 'url');
    if (url !== null && url !== '' && !URL.canParse(url)) {
      report(review, 'invalid_value', [...path, 'url'], 'must be an address that can be read');
    }
    const workspace = textAt(review, ...path, 'workspace');
    if (workspace !== null && !workspaces.includes(workspace)) {
      reportUnknown(review, [...path, 'workspace'], 'workspace', workspace, workspaces);
    }
  }
}

/** Headers that say something already: a token there would take another's place. */
const TAKEN =
  /^(?:authorization|content-.*|host|connection|transfer-encoding|accept|accept-.*|user-agent|cookie|expect|te|upgrade)$/;

export function checkEntitlement(review: Review): void {
  const providers = Object.keys(mappingAt(review, 'providers'));
  listAt(review, 'entitlement', 'providers').forEach((_, index) => {
    const path = ['entitlement', 'providers', index];
    const name = textAt(review, ...path);
    if (name !== null && name !== '' && !providers.includes(name)) {
      reportUnknown(review, path, 'provider', name, providers);
    }
  });
  const header = textAt(review, 'entitlement', 'header');
  if (header !== null && TAKEN.test(header)) {
    report(
      review,
      'invalid_value',
      ['entitlement', 'header'],
      `${header} says something else already; take another name`,
    );
  }
}
