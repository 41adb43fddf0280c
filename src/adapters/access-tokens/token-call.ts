/** One call of a token endpoint. */
import type { Clock } from '../../ports/clock.ts';
import type { Transport, UpstreamRequest } from '../../ports/transport.ts';
import { wholeCall } from '../../ports/whole-call.ts';
import { TokenRefused } from './token-refused.ts';

/** The way to it is that of the calls that wait for the token. */
export type Line = Pick<UpstreamRequest, 'connectTimeoutMs' | 'proxy'>;

export interface FreshToken {
  readonly token: string;
  /** From now on, ms. */
  readonly lifeMs: number;
}

const MAX_ANSWER_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Throws TokenRefused where the endpoint says no, anything else where it can't be reached or makes no sense. */
export async function callForToken(
  { transport, clock }: { readonly transport: Transport; readonly clock: Clock },
  endpoint: string,
  assertion: string,
  line: Line,
): Promise<FreshToken> {
  const form = new URLSearchParams({ grant_type: GRANT, assertion });
  const { status, text } = await answerOf(transport, clock, {
    url: endpoint,
    headers: ['content-type', 'application/x-www-form-urlencoded', 'accept', 'application/json'],
    body: Buffer.from(form.toString()),
    connectTimeoutMs: line.connectTimeoutMs,
    proxy: line.proxy,
    guard: null,
  });
  const said = fieldsOf(text);
  if (status === 200 && typeof said['access_token'] === 'string' && said['access_token'] !== '') {
    const seconds = Number(said['expires_in'] ?? 0);
    return { token: said['access_token'], lifeMs: Number.isFinite(seconds) ? Math.max(0, seconds) * 1000 : 0 };
  }
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
    throw new TokenRefused(`no access token for the service account: ${reasonOf(said, status)}`);
  }
  throw new Error(`the token endpoint answered ${status}`);
}

async function answerOf(
  transport: Transport,
  clock: Clock,
  request: UpstreamRequest,
): Promise<{ status: number; text: string }> {
  const limits = { timeoutMs: TIMEOUT_MS, mostBytes: MAX_ANSWER_BYTES };
  const { status, bytes, fault } = await wholeCall({ transport, clock }, request, limits);
  if (fault === 'late') throw new Error('the token endpoint took too long');
  if (fault === 'long') throw new Error('the token endpoint said too much');
  if (fault !== null || status === null) throw new Error(`the token endpoint can not be reached: ${fault}`);
  return { status, text: bytes.toString() };
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** `invalid_grant (Invalid JWT Signature.)`, as far as it is said. */
function reasonOf({ error, error_description: description }: Record<string, unknown>, status: number): string {
  const code = typeof error === 'string' ? error : `status ${status}`;
  return typeof description === 'string' ? `${code} (${description.slice(0, 200)})` : code;
}
