/** Calls to the admin plane of a running gateway, for the commands. */
import { tame } from './paint.ts';
import { CommandFailure, type Shell } from './shell.ts';

export const DEFAULT_URL = 'http://127.0.0.1:4000';

export type Json = Readonly<Record<string, unknown>>;

export interface AdminClient {
  /** Address of the gateway, without trailing slash. */
  readonly url: string;
  /**
   * One call. `path` is below `/admin`. Throws `CommandFailure` with what the gateway says, or what to do when it is not
   * there, refuses the token, or is no gateway.
   */
  call(method: string, path: string, body?: Json): Promise<Json>;
}

/** By `--url`, else UNDERSTUDY_URL, else the usual one. Throws `CommandFailure` (wrong usage). */
export function gatewayUrl(shell: Pick<Shell, 'env'>, option: string | undefined): string {
  const written = option ?? (shell.env['UNDERSTUDY_URL'] || DEFAULT_URL);
  if (!URL.canParse(written) || !/^https?:$/.test(new URL(written).protocol)) {
    throw new CommandFailure(`${written} is no http address: give the gateway's with --url or UNDERSTUDY_URL`, 2);
  }
  return written.replace(/\/+$/, '');
}

/** Throws `CommandFailure` when no token is set. */
export function adminToken(shell: Pick<Shell, 'env'>): string {
  const token = shell.env['UNDERSTUDY_ADMIN_TOKEN'] ?? '';
  if (token !== '') return token;
  throw new CommandFailure(
    "set UNDERSTUDY_ADMIN_TOKEN to the gateway's admin token: `admin.token` of its configuration, or the one it showed at its first start",
  );
}

export function adminClient(shell: Shell, option: string | undefined): AdminClient {
  const url = gatewayUrl(shell, option);
  const token = adminToken(shell);
  return {
    url,
    async call(method, path, body) {
      const response = await reach(shell, `${url}/admin${path}`, url, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer: unknown = await response.json().catch(() => null);
      if (response.ok && isObject(answer)) return answer;
      throw new CommandFailure(complaint(url, response.status, answer));
    },
  };
}

async function reach(shell: Shell, address: string, url: string, init: RequestInit): Promise<Response> {
  try {
    return await shell.fetch(address, { ...init, redirect: 'error' });
  } catch {
    throw new CommandFailure(
      `no gateway answers at ${url}: start one with \`understudy serve\`, or name it with --url or UNDERSTUDY_URL`,
    );
  }
}

function complaint(url: string, status: number, answer: unknown): string {
  if (status === 401)
    return `the gateway at ${url} refused the admin token: set UNDERSTUDY_ADMIN_TOKEN to the right one`;
  const error = isObject(answer) ? answer['error'] : undefined;
  const message = isObject(error) ? error['message'] : undefined;
  if (typeof message === 'string' && message !== '') return message.split('\n').map(tame).join('\n');
  return `the answer of ${url} (status ${status}) is not the admin API's: is it an Understudy gateway?`;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
