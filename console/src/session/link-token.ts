/** A link `…/console/#token=…` signs in: the token is taken out of the address before anything else happens. */

let waiting: string | null = null;

/** Reads the token and removes it from the address and this tab's history. Called once, first of all. */
export function readLinkToken(): void {
  const { hash, pathname, search } = window.location;
  if (!hash.startsWith('#')) return;
  const token = new URLSearchParams(hash.slice(1)).get('token');
  if (token === null) return;
  window.history.replaceState(window.history.state, '', `${pathname}${search}`);
  if (token !== '') waiting = token;
}

/** The token of the link, once. */
export function takeLinkToken(): string | null {
  const token = waiting;
  waiting = null;
  return token;
}
