/** The cookie of a console session: an id and nothing else, out of reach of scripts and of other sites (G-8). */
import type { IncomingHttpHeaders } from 'node:http';

export const SESSION_COOKIE = 'understudy_session';

/** 256 bits as base64url. */
const ID = /^[\w-]{43}$/;

/**
 * The id in a `Cookie` header. Null where there is none that we could have given, and where there are two different ones:
 * a neighbouring site may set a second cookie of our name, and must not choose whose session is used.
 */
export function sessionIdOf(header: string | undefined): string | null {
  const sent = (header ?? '').split(';').flatMap((part) => {
    const at = part.indexOf('=');
    const isOurs = at > 0 && part.slice(0, at).trim() === SESSION_COOKIE;
    return isOurs ? [part.slice(at + 1).trim()] : [];
  });
  const [id, ...others] = new Set(sent);
  return id !== undefined && others.length === 0 && ID.test(id) ? id : null;
}

/** `Set-Cookie` that gives the id, or takes the cookie away (`id` null). */
export function sessionCookie(id: string | null, maxAgeMs: number, isSecure: boolean): string {
  const life = id === null ? 0 : Math.floor(maxAgeMs / 1000);
  const secure = isSecure ? '; Secure' : '';
  return `${SESSION_COOKIE}=${id ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${life}${secure}`;
}

/**
 * Whether the browser came by TLS: to us, or to a proxy that says so. Whoever lies about it gets a cookie that his own
 * browser keeps to itself.
 */
export function cameByTls(headers: IncomingHttpHeaders, socket: { readonly encrypted?: boolean }): boolean {
  if (socket.encrypted === true) return true;
  const [first = ''] = String(headers['x-forwarded-proto'] ?? '').split(',');
  if (first.trim().toLowerCase() === 'https') return true;
  return /(^|[;\s])proto="?https"?\s*([;,]|$)/i.test(String(headers.forwarded ?? '').split(',')[0] ?? '');
}
