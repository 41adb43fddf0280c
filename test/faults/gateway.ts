/** A gateway in this process, under the configuration a case needs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StartOptions, startGateway } from '../../src/assemble.ts';
import type { RequestRecord, RequestSummary } from '../../src/core/record.ts';
import type { Gateway } from '../../src/runtime/gateway.ts';

export interface TestGateway {
  readonly url: string;
  /** Its parts. */
  readonly inside: Gateway;
  /** The record of a request, once it has been written. */
  record(id: string): Promise<RequestRecord>;
  /** The newest records. */
  records(limit: number): Promise<readonly RequestSummary[]>;
  close(): Promise<void>;
}

export type StartTestGateway = (
  configText: string,
  more?: Partial<Pick<StartOptions, 'clock' | 'random' | 'env'>>,
) => Promise<TestGateway>;

let start: StartTestGateway = startAlone;

/** From here on the rigs of this test file run on what this starts. */
export function runTestsOn(other: StartTestGateway): void {
  start = other;
}

/**
 * Whether there is one gateway: its parts are all there is, and it knows of a failure in the instant in which its client
 * does. For `it.runIf`.
 */
export function runsAlone(): boolean {
  return start === startAlone;
}

/** Starts it on a free port with an empty store, which goes with it. */
export const startTestGateway: StartTestGateway = (configText, more) => start(configText, more);

/** One gateway over an empty data folder. */
async function startAlone(...[configText, more = {}]: Parameters<StartTestGateway>): Promise<TestGateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'understudy-faults-'));
  const running = await startGateway({ configText, port: 0, dataDir, env: {}, log: 'silent', ...more });
  const store = running.gateway.records;
  return {
    url: running.url,
    inside: running.gateway,
    record: (id) => waitFor(() => store.get(id), `record ${id}`),
    records: async (limit) => {
      await store.flush();
      return (await store.list({ limit })).data;
    },
    close: async () => {
      await running.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Records are written behind the answer: asks again until there is one. */
export async function waitFor<T>(ask: () => Promise<T | null> | T | null, what: string): Promise<T> {
  for (let i = 0; i < 400; i += 1) {
    const found = await ask();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`never came: ${what}`);
}
