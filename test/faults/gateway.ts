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

/** Starts it on a free port with an empty data folder, which goes with it. */
export async function startTestGateway(
  configText: string,
  more: Partial<Pick<StartOptions, 'clock' | 'random' | 'env'>> = {},
): Promise<TestGateway> {
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
