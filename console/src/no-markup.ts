/**
 * No text ever becomes markup here: the gateway's policy has the browser refuse it (`require-trusted-types-for 'script'`),
 * whatever a page or a library should do by mistake with a name or message of a stranger's. Only the empty text is let
 * through, by which a library empties elements of its own.
 */

interface Policies {
  createPolicy(name: 'default', rules: { readonly createHTML: (text: string) => string | null }): unknown;
}

/** Called once, first of all. Browsers without trusted types have the rest of the policy. */
export function allowEmptyMarkup(): void {
  const { trustedTypes } = window as Window & { readonly trustedTypes?: Policies };
  trustedTypes?.createPolicy('default', { createHTML: (text) => (text === '' ? '' : null) });
}
