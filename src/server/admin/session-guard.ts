/**
 * What stands between a session and a page of somebody else's that makes the browser send its cookie (CSRF): every change
 * needs a text that only our own page could read, and nothing is taken from another site's page.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ConsoleSession } from '../../ports/sessions.ts';
import { denied } from './refusals.ts';

export const CSRF_HEADER = 'x-understudy-csrf';

/** Methods that change nothing. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Throws `ClientError` 403 where a call by this session is not our own page's. */
export function refuseForged(session: ConsoleSession, method: string, headers: IncomingHttpHeaders): void {
  if (READING.has(method)) return;
  refuseForeign(headers);
  const sent = headers[CSRF_HEADER];
  if (typeof sent === 'string' && isSame(sent, session.csrfToken)) return;
  throw denied(
    'A change by a browser session needs the header `X-Understudy-CSRF` with the `csrf_token` of the session: `GET /admin/v1/session` tells it.',
  );
}

/** Throws `ClientError` 403 where a browser says that the page of another site asks. */
export function refuseForeign(headers: IncomingHttpHeaders): void {
  if (!isForeign(headers)) return;
  throw denied('This comes from a page of another site, and sessions are for the console of this gateway alone.');
}

/**
 * `Sec-Fetch-Site` can't be set by a page, so it is believed. Browsers that don't send it (and all of them over plain HTTP)
 * tell the page's origin: its host must be the one that was asked, as the browser or the proxy in front of us names it.
 */
function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined) return false;
  const page = urlOf(origin);
  if (page === null) return true;
  const [forwarded = ''] = String(headers['x-forwarded-host'] ?? '').split(',');
  return ![headers.host ?? '', forwarded.trim()].some((host) => {
    return host !== '' && urlOf(`${page.protocol}//${host}`)?.host === page.host;
  });
}

function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** In the same time whatever was sent. */
function isSame(sent: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(expected));
}
