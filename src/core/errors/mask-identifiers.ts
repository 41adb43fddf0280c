/** E-1: ids of the operator's upstream account never reach a client, not even inside a provider's sentence. */

/** What stands for an id. */
const MASK = '***';

/**
 * `org-…`, `proj_…`, `user-…`, `req_…`, also inside URLs and quotes. After `_` only what can not be a field name: with
 * a digit or a capital.
 */
const PREFIXED = /(?<![A-Za-z0-9])(org|proj|user|req)([-_])([A-Za-z0-9][A-Za-z0-9_-]*)/gi;

/** English compounds and field names that begin like an id. */
const PLAIN_WORDS = new Set(
  (
    'agent agents based body count data defined facing friendly generated id ids initiated input level location managed ' +
    'message messages name owned prompt provided role scoped selected specific specified supplied text uploaded visible wide'
  ).split(' '),
);

/** `request id: 0af3…`, `Request ID 2024…`. */
const REQUEST_ID = /(request[ _-]?id["']?\s*[:=]?\s*["'(]?)([A-Za-z0-9][A-Za-z0-9_-]{7,})/gi;

function isId(separator: string, rest: string): boolean {
  if (/\d/.test(rest)) return true;
  if (PLAIN_WORDS.has(rest.split(/[-_]/, 1)[0]!.toLowerCase())) return false;
  return separator === '-' || /[A-Z]/.test(rest);
}

/** The text with organisation, project, user and request ids taken out. */
export function maskIdentifiers(text: string): string {
  return text
    .replace(PREFIXED, (whole: string, prefix: string, separator: string, rest: string) =>
      isId(separator, rest) ? `${prefix}${separator}${MASK}` : whole,
    )
    .replace(REQUEST_ID, (whole: string, lead: string, id: string) => (/\d/.test(id) ? `${lead}${MASK}` : whole));
}
