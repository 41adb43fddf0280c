/** `understudy demo`: gateway and simulator in one process, and a request that survives an outage, shown step by step. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SIM_MODELS } from '../config/defaults.ts';
import { withdrawFirstRun } from '../config/first-run.ts';
import type { RequestRecord } from '../core/record.ts';
import { chatCurl, DOWN, UP } from './chat-curl.ts';
import { fetchRecordIfThere } from './explain.ts';
import { renderTrace } from './render-trace.ts';
import { DEFAULT_PORT } from './serve.ts';
import { CommandFailure, type RunningGateway, type Shell, untilStopped } from './shell.ts';
import { explainStart } from './start-failure.ts';

export interface DemoOptions {
  readonly once?: boolean;
  /** Given: exactly this one. Else 4000, or a free one when that is taken. */
  readonly port?: number;
  /** Kept afterwards; without it a temporary folder that is removed. */
  readonly data?: string;
}

interface Access {
  readonly clientKey: string;
  readonly adminToken: string;
}

const HOST = '127.0.0.1';
/** A showing that hangs has failed; the simulator answers in milliseconds. */
const ANSWER_WITHIN_MS = 30_000;
/** The log is written behind the answer (O-2): ask this often, this many times, before giving up. */
const RECORD_POLL_MS = 50;
const RECORD_POLLS = 200;

function configText({ clientKey, adminToken }: Access): string {
  return JSON.stringify({
    version: 1,
    admin: { token: adminToken },
    providers: { sim: { type: 'sim' } },
    models: Object.fromEntries(['sim/*', ...SIM_MODELS].map((id) => [id, {}])),
    keys: [{ name: 'demo', secret: clientKey }],
  });
}

/** A key and token that were made beside the demonstration's own: whoever serves this folder later is to see theirs. */
async function withdrawUnseen(dataDir: string, { firstRun }: RunningGateway): Promise<void> {
  if (firstRun === null) return;
  await withdrawFirstRun(dataDir, { clientKey: firstRun.clientKey !== '', adminToken: firstRun.adminToken !== '' });
}

async function start(shell: Shell, options: DemoOptions, dataDir: string, access: Access): Promise<RunningGateway> {
  const ports = options.port === undefined ? [options.once === true ? 0 : DEFAULT_PORT, 0] : [options.port];
  for (const [index, port] of ports.entries()) {
    try {
      const gateway = await shell.startGateway({
        configText: configText(access),
        host: HOST,
        port,
        dataDir,
        env: shell.env,
        log: 'silent',
      });
      await withdrawUnseen(dataDir, gateway);
      return gateway;
    } catch (error) {
      const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!taken || index === ports.length - 1) throw explainStart(error, { host: HOST, port, dataDir });
    }
  }
  throw new CommandFailure('no port to listen on');
}

interface Shown {
  readonly answer: string;
  readonly record: RequestRecord;
}

async function post(
  shell: Shell,
  url: string,
  access: Access,
  body: object,
): Promise<{ response: Response; answer: string }> {
  try {
    const response = await shell.fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${access.clientKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return { response, answer: await response.text() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`the demonstration failed: ${url} did not answer (${why})`);
  }
}

/** Sends one request, reads its answer to the end and fetches its trace. */
async function ask(shell: Shell, url: string, access: Access, stream: boolean): Promise<Shown> {
  const { response, answer } = await post(shell, `${url}/v1/chat/completions`, access, {
    models: [DOWN, UP],
    stream,
    messages: [{ role: 'user', content: 'Are you there?' }],
  });
  const id = response.headers.get('x-request-id');
  if (response.status !== 200 || id === null) {
    throw new CommandFailure(`the demonstration failed: status ${response.status}, ${answer.slice(0, 300)}`);
  }
  for (let poll = 0; poll < RECORD_POLLS; poll++) {
    const record = await fetchRecordIfThere(shell, url, access.adminToken, id);
    if (record !== null) return { answer, record };
    await shell.sleep(RECORD_POLL_MS);
  }
  throw new CommandFailure(`the demonstration failed: the trace of ${id} did not appear`);
}

/** The text an answer carries, stream or not; null when it is not complete. */
export function answerText(answer: string, stream: boolean): string | null {
  if (!stream) return contentOf(answer, 'message');
  const events = answer
    .split(/\r?\n\r?\n/)
    .filter((event) => event.startsWith('data:'))
    .map((event) => event.slice('data:'.length).trim());
  if (events.pop() !== '[DONE]') return null;
  return events.map((event) => contentOf(event, 'delta') ?? '').join('');
}

function contentOf(json: string, part: 'message' | 'delta'): string | null {
  try {
    const body = JSON.parse(json) as { choices?: Record<string, { content?: unknown } | undefined>[] };
    const content = body.choices?.[0]?.[part]?.content;
    return typeof content === 'string' ? content : null;
  } catch {
    return null;
  }
}

/** The showing proves what it says: the first model failed, the second answered, and the answer is whole. */
function checkShown({ answer, record }: Shown, stream: boolean): string {
  const text = answerText(answer, stream);
  const [first, second] = record.attempts;
  const survived =
    first?.result === 'failed' && first.model === DOWN && second?.result === 'served' && second.model === UP;
  if (text === null || text === '' || !survived || record.served_model !== UP) {
    throw new CommandFailure(
      `the demonstration failed: request ${record.id} was not served by ${UP} after ${DOWN} failed`,
    );
  }
  return text;
}

async function show(shell: Shell, url: string, access: Access): Promise<void> {
  const { paint } = shell;
  for (const stream of [false, true]) {
    const what = stream ? 'The same, streaming' : `A request for ${DOWN}, which is down, with ${UP} to fall back on`;
    shell.print(`\n${paint.bold(`${what}:`)}\n`);
    const shown = await ask(shell, url, access, stream);
    const text = checkShown(shown, stream);
    shell.print(renderTrace(shown.record, paint));
    shell.print(`\nThe client got: ${paint.good(JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text))}`);
  }
}

function invite(shell: Shell, url: string, { clientKey, adminToken }: Access): void {
  const { paint } = shell;
  shell.print(`
${paint.bold('Now you')} (everything is on this machine, no account needed)
  console       ${paint.good(`${url}/console/#token=${adminToken}`)}
  base address  ${paint.good(`${url}/v1`)}
  client key    ${paint.good(clientKey)}
  admin token   ${paint.good(adminToken)}

  ${chatCurl(url, clientKey)}

Then, with the X-Request-Id of the answer:
  UNDERSTUDY_URL=${url} UNDERSTUDY_ADMIN_TOKEN=${adminToken} ${shell.program} explain REQUEST_ID

Models to try, in any chain of up to three: ${SIM_MODELS.join(', ')}
Ctrl-C ends the demonstration.`);
}

export async function demo(shell: Shell, options: DemoOptions): Promise<void> {
  const secret = (): string => randomBytes(12).toString('base64url');
  const access: Access = { clientKey: `us-demo-${secret()}`, adminToken: `us-demo-admin-${secret()}` };
  const dataDir = options.data ?? (await mkdtemp(join(tmpdir(), 'understudy-demo-')));
  try {
    const gateway = await start(shell, options, dataDir, access);
    try {
      shell.print(`${shell.paint.bold('Understudy')} is running at ${gateway.url}, with a simulated provider.`);
      await show(shell, gateway.url, access);
      if (options.once === true) return;
      invite(shell, gateway.url, access);
      await untilStopped(shell);
    } finally {
      await gateway.close();
    }
  } finally {
    if (options.data === undefined) await rm(dataDir, { recursive: true, force: true });
  }
}
