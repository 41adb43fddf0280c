/** A gateway in this process, under the configuration a case needs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../../src/assemble.ts';
import type { RequestRecord } from '../../src/core/record.ts';
import { ADMIN_TOKEN } from './gateway-config.ts';
import { sendRaw } from './raw-client.ts';

export interface TestGateway {
  readonly url: string;
  /** The record of a request, once it has been written. */
  record(id: string): Promise<RequestRecord>;
  /** What the admin API says under a path. */
  admin(path: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts it on a free port with an empty data folder, which goes with it. */
export async function startTestGateway(configText: string): Promise<TestGateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'understudy-faults-'));
  const gateway = await startGateway({ configText, port: 0, dataDir, env: {}, log: 'silent' });
  const admin = async (path: string): Promise<unknown> => {
    const answer = await sendRaw({ url: gateway.url + path, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    return answer.status === 200 ? JSON.parse(answer.text) : null;
  };
  return {
    url: gateway.url,
    admin,
    record: (id) =>
      waitFor(async () => (await admin(`/admin/v1/requests/${id}`)) as RequestRecord | null, `record ${id}`),
    close: async () => {
      await gateway.close();
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
