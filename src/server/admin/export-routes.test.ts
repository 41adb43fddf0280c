import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, type AdminRig, startAdminRig } from '../../../test/support/admin-rig.ts';
import { plainDraft } from '../../../test/support/sample-draft.ts';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import type { RequestFilter } from '../../ports/record-store.ts';

let rig: AdminRig;
let asked: RequestFilter[];
/** Requests that the log has; and one page that can't be read. */
let stored: number;
let brokenPage: number | null;

beforeEach(async () => {
  rig = await startAdminRig();
  [asked, stored, brokenPage] = [[], 0, null];
  rig.records.list = async (filter) => {
    asked.push(filter);
    if (asked.length - 1 === brokenPage) {
      throw new ClientError(
        gatewayError('store_unavailable', 'The request log cannot be read.', { shouldRetry: true }),
      );
    }
    const from = Number(filter.cursor ?? 0);
    const count = Math.max(0, Math.min(filter.limit, stored - from));
    const data = Array.from({ length: count }, (_, n) => plainDraft(from + n));
    return { data, next_cursor: from + count < stored ? String(from + count) : null };
  };
});
afterEach(() => rig.close());

const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
const inject = (query: string) => rig.app.inject({ url: `/admin/v1/requests/export${query}`, headers });

async function address(): Promise<string> {
  await rig.app.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(rig.app.server.address() as AddressInfo).port}/admin/v1/requests/export`;
}

describe('the export', () => {
  it('O-5: every request that the filter lets through, page by page, as a file', async () => {
    stored = 1234;
    const answer = await inject('?format=csv&status=200&model=m&failover=true');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="requests-2026-11-29.csv"',
      'x-content-type-options': 'nosniff',
      'x-understudy-export-limit': '1000000',
      'cache-control': 'no-store',
    });
    expect(answer.body.split('\r\n')).toHaveLength(1 + 1234 + 1);
    expect(asked).toHaveLength(3);
    for (const filter of asked) expect(filter).toMatchObject({ status: 200, model: 'm', failover: true });
    const lines = (await inject('?format=ndjson')).body.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(Array.from({ length: 1234 }, (_, n) => plainDraft(n).id));
  });

  it('O-5: it ends at its limit, and says which', async () => {
    stored = 2000;
    const answer = await inject('?format=ndjson&limit=700');
    expect(answer.headers['x-understudy-export-limit']).toBe('700');
    expect(answer.body.trimEnd().split('\n')).toHaveLength(700);
    expect(asked.map(({ limit }) => limit)).toEqual([500, 200]);
  });

  it('O-5: nothing is a file with a head, or none', async () => {
    expect((await inject('')).body).toMatch(/^id,[^\n]*\r\n$/);
    expect((await inject('?format=ndjson')).body).toBe('');
  });

  it.each([
    ['format=xml', 'format'],
    ['limit=1000001', 'limit'],
    ['status=9', 'status'],
    ['cursor=x', 'cursor'],
  ])('O-5: %s is 400 and named', async (query, param) => {
    const answer = await inject(`?${query}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error: { param } });
    expect(asked).toEqual([]);
  });

  it('O-5: a log that cannot be read is an error, not a file', async () => {
    brokenPage = 0;
    const answer = await inject('');
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ error: { code: 'store_unavailable' } });
  });

  it('O-5: a file that breaks off does not look whole', async () => {
    [stored, brokenPage] = [2000, 2];
    const answer = await fetch(await address(), { headers });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  it('O-5: who asks for its head alone has nothing read but the first page', async () => {
    stored = 10_000;
    const answer = await rig.app.inject({ method: 'HEAD', url: '/admin/v1/requests/export', headers });
    expect([answer.statusCode, answer.headers['x-understudy-export-limit']]).toEqual([200, '1000000']);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toHaveLength(1);
  });

  it('O-5: where nothing matches, too, it is read no further than its reader stays', async () => {
    rig.records.list = async (filter) => {
      asked.push(filter);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { data: [], next_cursor: String(asked.length) };
    };
    const leaving = new AbortController();
    await fetch(await address(), { headers, signal: leaving.signal });
    await expect.poll(() => asked.length).toBeGreaterThan(3);
    leaving.abort();
    const ended = new Promise<void>((resolve) => rig.app.server.close(() => resolve()));
    rig.app.server.closeIdleConnections();
    await ended;
    const after = asked.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(asked.length).toBeLessThan(after + 3);
  });

  it('O-5: it is read no faster than its reader takes it, and no further than its reader stays', async () => {
    stored = 10_000_000;
    const leaving = new AbortController();
    const answer = await fetch(`${await address()}?format=ndjson`, { headers, signal: leaving.signal });
    const reader = answer.body!.getReader();
    await reader.read();
    // Nobody reads: what sockets and streams take is some MB, and then it waits.
    let before = -1;
    while (before !== asked.length) {
      before = asked.length;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(asked.length).toBeLessThan(200);
    leaving.abort();
    const ended = new Promise<void>((resolve) => rig.app.server.close(() => resolve()));
    rig.app.server.closeIdleConnections();
    await ended;
    expect(asked.length).toBeLessThan(before + 3);
  });
});
