/** A member's only page: one request of the workspace, without its trace (G-8). */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectFits, NARROW, TestBrowser, whyNoBrowser } from '../support/console/browser.ts';
import { type ConsoleGateway, startConsoleGateway } from '../support/console/console-gateway.ts';

/** Wide: two cores are shared, and each page is a whole application. */
const GUARD_MS = 180_000;
const without = whyNoBrowser();

describe.skipIf(without !== null)(`lookup${without === null ? '' : ` (${without})`}`, () => {
  let gateway: ConsoleGateway;
  let browser: TestBrowser;
  beforeAll(async () => {
    gateway = await startConsoleGateway();
    browser = await TestBrowser.start();
  }, 600_000);
  afterEach(() => browser.settle());
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });
  const request = (name: string): string => gateway.seeded.requests[name] ?? '';
  const member = (): string => gateway.seeded.members['mia'] ?? '';

  it(
    'G-8: a member finds a request by its id, and sees how it went without its trace',
    async () => {
      const { page } = await browser.open({ url: gateway.url, token: member() });
      await page.getByLabel('Request id').fill(request('failover'));
      await page.keyboard.press('Enter');
      await page.getByText(/You asked for orca-mini; nova-large answered in its place, in /).waitFor();
      await page.getByText('200 Success').waitFor();
      await expectAccessible(page);
      await expectFits(page);
      const text = await page.locator('main').textContent();
      for (const word of ['south', 'north', 'Attempt', 'Candidate', 'rate limited', 'credential']) {
        expect(text).not.toContain(word);
      }
      // The address has the id: another member who opens it sees the same.
      await page.reload();
      await page.getByText(/nova-large answered in its place/).waitFor();
    },
    GUARD_MS,
  );

  it(
    "G-8: the server gives a member's session no trace either, by any address",
    async () => {
      const { page, go } = await browser.open({ url: gateway.url, token: member(), expected: [/status of 403/] });
      await go(`/requests/${request('failover')}`);
      await page.getByRole('heading', { level: 1, name: 'This page is not for your role' }).waitFor();
      expect(await page.locator('main').textContent()).not.toContain('nova-large');
      const answers = await page.evaluate(
        async (id) =>
          Promise.all(
            [
              `/v1/requests/${id}`,
              `/admin/v1/requests/${id}`,
              `/admin/v1/requests/running/${id}`,
              '/admin/v1/requests',
              '/admin/v1/requests/export?format=ndjson',
            ].map(async (path) => {
              const answer = await fetch(path);
              return [answer.status, await answer.text()] as const;
            }),
          ),
        request('failover'),
      );
      expect(answers.map(([status]) => status)).toEqual([200, 403, 403, 403, 403]);
      const own = JSON.parse(answers[0]?.[1] ?? '{}') as Record<string, unknown>;
      expect(own['served_model']).toBe('nova-large');
      for (const name of ['attempts', 'candidates', 'stages', 'chain', 'events']) expect(own).not.toHaveProperty(name);
    },
    GUARD_MS,
  );

  it(
    'G-8: a request of another workspace is one that is not there',
    async () => {
      const expected = [/status of 404/];
      const { page, go } = await browser.open({ url: gateway.url, token: member(), expected });
      await go(`/lookup?id=${request('other')}`);
      await page.getByText('No such request').waitFor();
      const words = (await page.locator('main').textContent()) ?? '';
      await go('/lookup?id=req_nowhere');
      await page.getByText('No such request').waitFor();
      const nowhere = (await page.locator('main').textContent()) ?? '';
      expect(words.replaceAll(request('other'), 'ID')).toBe(nowhere.replaceAll('req_nowhere', 'ID'));
    },
    GUARD_MS,
  );

  it(
    'in Chinese, dark, on a telephone',
    async () => {
      const look = { size: NARROW, theme: 'dark', language: 'zh' } as const;
      const { page } = await browser.open({
        url: gateway.url,
        path: `/lookup?id=${request('streamed')}`,
        token: member(),
        ...look,
      });
      await page.getByText(/nova-large 在 .* 内作答。/).waitFor();
      await expectFits(page);
      await expectAccessible(page);
    },
    GUARD_MS,
  );
});
