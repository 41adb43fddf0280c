/** `docs/errors.md`, made from the catalogue: every code the gateway itself sends. */
import { ERROR_CATALOGUE } from '../../src/core/errors/catalogue.ts';

/** The whole page. Codes by status, then by name. */
export function renderErrorsPage(): string {
  const rows = Object.entries(ERROR_CATALOGUE)
    .sort(([a, left], [b, right]) => left.status - right.status || a.localeCompare(b, 'en'))
    .map(
      ([code, { status, type, meaning }]) =>
        `| ${status} | \`${code}\` | \`${type}\` | ${meaning.replaceAll('|', '\\|')} |`,
    );
  return `<!-- Generated from src/core/errors/catalogue.ts: npx vitest run test/architecture/errors-page.test.ts -u -->

# Error codes

Every error has a stable \`code\`, a \`message\` that says what to do, and a \`request_id\`. On the Chat Completions endpoint:

\`\`\`json
{ "error": { "message": "…", "type": "upstream_error", "code": "all_models_failed", "param": null, "request_id": "req_…", "attempts": [] } }
\`\`\`

\`attempts\`, \`retry_at\`, \`budget\` and \`maybe_executed\` are there when they have something to say. Every final error also
carries \`x-should-retry: true\` or \`false\`, which the official SDKs obey; \`Retry-After\` is never above 60 seconds, and
\`retry_at\` holds the true instant. Where one upstream's answer is passed on, its own status and code are used instead of
these. Ids such as C-4 are those of [the rules](rules.md).

| status | code | type | when, and what to do |
|---|---|---|---|
${rows.join('\n')}

What every caller should do: fix 400 to 403, back off on 429 and 503, switch SDK retries off or let \`x-should-retry\`
rule, and treat a stream that ends without its terminator as a failed call. A repeat may run tools twice.
`;
}
