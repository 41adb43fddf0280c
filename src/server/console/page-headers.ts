/**
 * What a browser is told about the console's page: it runs our own scripts and styles, talks to this gateway alone, and is
 * shown in nobody's frame. A text that should ever become part of a page by mistake does nothing there.
 */

/** What everything below `/console` carries. */
export const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), usb=()',
};

/**
 * `Content-Security-Policy` of a page. `nonce`: of this one answer, for the style elements that libraries make while the page
 * runs; null = the page has none.
 */
export function pagePolicy(nonce: string | null): string {
  const own = nonce === null ? '' : ` 'self' 'nonce-${nonce}'`;
  const parts = [
    "default-src 'none'",
    ...(nonce === null ? [] : [`script-src${own}`, `style-src${own}`]),
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // One policy, the console's own: it turns no text into markup.
    'trusted-types default',
    "require-trusted-types-for 'script'",
  ];
  return parts.join('; ');
}
