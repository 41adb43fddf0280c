/** `understudy explain REQUEST_ID`: asks a running gateway how it served a request. */
import type { RequestRecord } from '../core/record.ts';
import { adminToken, gatewayUrl } from './admin-client.ts';
import { renderTrace } from './render-trace.ts';
import { CommandFailure, type Shell } from './shell.ts';

export interface ExplainOptions {
  readonly url?: string;
  readonly json?: boolean;
}

/** The record of one request. Throws `CommandFailure` with what to do about it. */
export async function fetchRecord(shell: Shell, url: string, token: string, id: string): Promise<RequestRecord> {
  const found = await fetchRecordIfThere(shell, url, token, id);
  if (found !== null) return found;
  throw new CommandFailure(`the gateway at ${url} has no request ${id}: look at the X-Request-Id header of the answer`);
}

/** Null when the gateway does not have it (yet). */
export async function fetchRecordIfThere(
  shell: Shell,
  url: string,
  token: string,
  id: string,
): Promise<RequestRecord | null> {
  const address = `${url}/admin/v1/requests/${encodeURIComponent(id)}`;
  let response: Response;
  try {
    response = await shell.fetch(address, { headers: { authorization: `Bearer ${token}` }, redirect: 'error' });
  } catch {
    throw new CommandFailure(
      `no gateway answers at ${url}: start one with \`understudy serve\`, or name it with --url or UNDERSTUDY_URL`,
    );
  }
  if (response.status === 404) return null;
  if (response.status === 401) {
    throw new CommandFailure(
      `the gateway at ${url} refused the admin token: set UNDERSTUDY_ADMIN_TOKEN to the right one`,
    );
  }
  if (response.status === 403) {
    throw new CommandFailure(`the token in UNDERSTUDY_ADMIN_TOKEN is no admin's: traces are for admins (${url})`);
  }
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok || !isRecord(body)) {
    throw new CommandFailure(
      `the answer of ${url} (status ${response.status}) is no request record: is it an Understudy gateway?`,
    );
  }
  return body;
}

function isRecord(body: unknown): body is RequestRecord {
  return (
    typeof body === 'object' && body !== null && 'id' in body && 'attempts' in body && Array.isArray(body.attempts)
  );
}

export async function explain(shell: Shell, id: string, options: ExplainOptions): Promise<void> {
  const url = gatewayUrl(shell, options.url);
  const token = adminToken(shell);
  const record = await fetchRecord(shell, url, token, id);
  shell.print(options.json === true ? JSON.stringify(record, null, 2) : renderTrace(record, shell.paint));
}
