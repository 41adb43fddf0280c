/** The load scenario of the benchmark, shorter and in this process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailingUpstream } from '../../bench/failing-upstream.ts';
import { BENCH_ADMIN_TOKEN, BENCH_KEY, chainConfig } from '../../bench/gateway-config.ts';
import { type LoadReport, type LogCount, readLog, runLoad, startChain } from '../../bench/load.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';

const REQUESTS = 600;
const PER_SECOND = 100;

let upstreams: FailingUpstream[];
let gateway: RunningGateway;
let dataDir: string;
let report: LoadReport;
let log: LogCount;

beforeAll(async () => {
  upstreams = await startChain();
  dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-load-'));
  const configText = chainConfig(upstreams.map(({ url }) => url));
  gateway = await startGateway({ configText, port: 0, dataDir, env: {}, log: 'silent' });
  const target = { url: gateway.url, adminToken: BENCH_ADMIN_TOKEN, clientKey: BENCH_KEY };
  report = await runLoad(target, 0, REQUESTS, PER_SECOND);
  log = await readLog(target, REQUESTS);
});
afterAll(async () => {
  await gateway.close();
  for (const upstream of upstreams) await upstream.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe('a chain of three upstreams that each fail 30 % of their requests', () => {
  it('D-1: at least 97 of 100 requests get one whole answer', () => {
    expect(report.whole).toBeGreaterThanOrEqual(0.97 * REQUESTS);
    expect(report.whole).toBeLessThanOrEqual(REQUESTS - report.bound);
  });

  it('E-2: the others get exactly one plain error', () => {
    expect(report.torn).toEqual([]);
    expect(report.plainErrors).toEqual({ '502 all_models_failed': REQUESTS - report.whole });
  });

  it('O-1: the log holds every request and every attempt', () => {
    const calls = upstreams.reduce((sum, upstream) => sum + upstream.calls, 0);
    expect(log).toEqual({ requests: REQUESTS, attempts: calls });
  });
});
