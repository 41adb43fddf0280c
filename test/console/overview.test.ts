/** The overview, as an operator reads it at night (O-5). */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type ConsolePage,
  expectAccessible,
  expectFits,
  NARROW,
  TestBrowser,
  WIDE,
  whyNoBrowser,
} from '../support/console/browser.ts';
import { HOSTILE_MODEL, startTroubledGateway, type TroubledGateway } from '../support/console/trouble.ts';

/** Wide: two cores are shared, and each page is a whole application. */
const GUARD_MS = 90_000;
const without = whyNoBrowser();

describe.skipIf(without !== null)(`overview${without === null ? '' : ` (${without})`}`, () => {
  let gateway: TroubledGateway;
  let browser: TestBrowser;
  beforeAll(async () => {
    gateway = await startTroubledGateway();
    browser = await TestBrowser.start();
  }, 240_000);
  afterEach(() => browser.settle());
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const open = (path = '/', more: object = {}): Promise<ConsolePage> =>
    browser.open({ url: gateway.url, path, token: gateway.adminToken, ...more });
  const headline = (page: Page) => page.getByRole('region', { name: 'What is wrong now' });
  const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  it(
    'O-5: the first words say what fails, what answers instead, what is lost and what to do, with a way to each',
    async () => {
      const { page } = await open();
      const head = headline(page);
      await head
        .getByText(
          /^orca-large is failing \(overloaded.*\); nova-large answers instead, but \d+ requests? got no answer\.$/,
        )
        .waitFor();
      await head.getByText('The engine is currently overloaded').waitFor();
      await head.getByText(/add another channel for it/).waitFor();
      await head.getByRole('link', { name: 'See the last request' }).click();
      await page.waitForURL(`**/console/requests/${gateway.covered}`);
      await page.goBack();
      await head.getByRole('link', { name: 'See its circuit', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Targets' }).waitFor();
      const board = page.getByRole('table', { name: 'Targets' });
      await board.getByText('Circuit open').waitFor();
      expect(await board.getByRole('rowheader').count(), 'its model, and its one target').toBe(2);
    },
    GUARD_MS,
  );

  it(
    'O-5: the rates are those of the API; covering and failing rows lead to a request and a circuit',
    async () => {
      const { page } = await open();
      const overview = (await gateway.admin('GET', '/overview')) as unknown as {
        totals: { requests: number; fallback: number };
        covering: { requested_model: string; requests: number }[];
      };
      const tile = (label: string) => page.getByText(label, { exact: true }).locator('..');
      await tile('Requests').getByText(String(overview.totals.requests), { exact: true }).waitFor();
      const share = (overview.totals.fallback / overview.totals.requests) * 100;
      await tile('Covered')
        .getByText(new RegExp(`^${share.toFixed(1).replace('.0', '')} %`))
        .waitFor();

      const covering = section(page, 'Who covers for whom').getByRole('row', { name: /^orca-large nova-large/ });
      const count = overview.covering.find(({ requested_model: model }) => model === 'orca-large')?.requests;
      expect(await covering.getByRole('cell').nth(2).textContent()).toBe(String(count));
      const last = covering.getByRole('link', { name: 'See the last one' });
      expect(await last.getAttribute('href')).toBe(`/console/requests/${gateway.covered}`);

      const failing = section(page, 'What fails')
        .getByRole('row', { name: /orca-large/ })
        .first();
      await failing.getByRole('link', { name: 'Its circuit' }).click();
      await page.getByRole('table', { name: 'Targets' }).getByText('Circuit open').waitFor();
    },
    GUARD_MS,
  );

  it(
    'O-4: an alert that is on says what to do, and leads there',
    async () => {
      await expect
        .poll(async () => JSON.stringify(await gateway.admin('GET', '/alerts?state=active')), { timeout: 40_000 })
        .toContain('circuit_open');
      const { page } = await open();
      const alert = section(page, 'Alerts').getByRole('listitem').filter({ hasText: 'orca-large#south is open' });
      await alert.getByText('Drain it if it lasts').waitFor();
      await alert.getByRole('link', { name: 'See' }).click();
      await page.getByRole('table', { name: 'Targets' }).getByText('Circuit open').waitFor();
    },
    GUARD_MS,
  );

  it(
    'O-5: the time in view stands in the address, and is what the gateway is asked for',
    async () => {
      const { page } = await open();
      const spans: number[] = [];
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url());
        if (pathname !== '/admin/v1/overview') return;
        spans.push(Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? ''));
      });
      await page.getByRole('radio', { name: '24 h' }).click();
      await expect.poll(() => spans).toContain(86_400_000);
      expect(new URL(page.url()).searchParams.get('window')).toBe('24h');
      await page.reload();
      await page.getByRole('radio', { name: '24 h', checked: true }).waitFor();
      await page.keyboard.press('Tab');
      await page.getByRole('radio', { name: '24 h' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Space');
      await expect.poll(() => new URL(page.url()).searchParams.get('window')).toBe('7d');
    },
    GUARD_MS,
  );

  it(
    'O-5: it renews itself while somebody looks, and asks for nothing while it is hidden or told to stop',
    async () => {
      const { page } = await open();
      await page.clock.install();
      await page.reload();
      await headline(page).waitFor();
      let asked = 0;
      page.on('request', (request) => {
        if (/\/admin\/v1\/(overview|alerts)/.test(request.url())) asked += 1;
      });
      const hide = (hidden: boolean) =>
        page.evaluate((is) => {
          Object.defineProperty(document, 'visibilityState', {
            configurable: true,
            get: () => (is ? 'hidden' : 'visible'),
          });
          Object.defineProperty(document, 'hidden', { configurable: true, get: () => is });
          document.dispatchEvent(new Event('visibilitychange'));
        }, hidden);
      await page.clock.runFor(20_000);
      await expect.poll(() => asked).toBeGreaterThan(2);
      await hide(true);
      await page.waitForLoadState('networkidle');
      const before = asked;
      await page.clock.runFor(120_000);
      await page.evaluate(() => 0);
      expect(asked).toBe(before);
      await hide(false);
      await page.clock.runFor(20_000);
      await expect.poll(() => asked).toBeGreaterThan(before);
      await page.getByRole('switch', { name: 'Live' }).press('Space');
      await page.waitForLoadState('networkidle');
      const still = asked;
      await page.clock.runFor(120_000);
      await page.evaluate(() => 0);
      expect(asked).toBe(still);
    },
    GUARD_MS,
  );

  it(
    'O-5: each chart is a table for who cannot see it, by keyboard alone',
    async () => {
      const { page } = await open();
      const chart = page.getByRole('figure', { name: 'Traffic' });
      await chart.getByRole('button', { name: 'Show as a table' }).press('Enter');
      await chart.getByRole('columnheader', { name: 'Answered by another model' }).waitFor();
      const cells = await chart.locator('tbody tr td:nth-child(3)').allTextContents();
      const { totals } = (await gateway.admin('GET', '/overview')) as unknown as { totals: { fallback: number } };
      expect(cells.reduce((sum, cell) => sum + Number(cell), 0)).toBe(totals.fallback);
      await page
        .getByRole('figure', { name: 'Latency over time' })
        .getByRole('button', { name: 'Show as a table' })
        .press('Enter');
      await page.getByRole('columnheader', { name: 'P99 other model' }).waitFor();
    },
    GUARD_MS,
  );

  it(
    'E-5: a model name and an error text that are markup stay text',
    async () => {
      const { page } = await open();
      await section(page, 'What fails').getByText(HOSTILE_MODEL).first().waitFor();
      await section(page, 'What fails')
        .getByText(/sorry <img src=x/)
        .waitFor();
      await section(page, 'Who covers for whom').getByText(HOSTILE_MODEL).waitFor();
      await headline(page).getByText(HOSTILE_MODEL).first().waitFor();
      expect(await page.locator('img[src="x"]').count()).toBe(0);
      expect(await page.evaluate(() => 'understudyWasHacked' in globalThis)).toBe(false);
    },
    GUARD_MS,
  );

  it(
    'G-8: a workspace’s admin sees the figures of its own workspace, and a member none',
    async () => {
      const acme = (await gateway.admin('GET', '/overview?workspace=acme')) as unknown as {
        totals: { requests: number };
      };
      const { page } = await open('/', { token: gateway.members['grace'] });
      const figure = headline(page).getByText('Requests in 15 minutes').locator('..');
      await figure.getByText(String(acme.totals.requests), { exact: true }).waitFor();
      expect(await page.getByText('globex').count()).toBe(0);
      expect(await page.getByText(HOSTILE_MODEL).count(), 'globex asked for it').toBe(0);
      const member = await open('/', { token: gateway.members['mia'] });
      await member.page.getByRole('heading', { level: 1, name: 'Find a request' }).waitFor();
      expect(await headline(member.page).count()).toBe(0);
    },
    GUARD_MS,
  );

  it(
    'O-5: an overview that does not come says why, with the request id, and is tried again',
    async () => {
      const { page } = await open('/', { expected: [/status of 400/] });
      const address = '**/admin/v1/overview?*';
      await page.route(address, (route) =>
        route.fulfill({
          status: 400,
          contentType: 'application/json',
          body: JSON.stringify({
            error: { message: 'the store says no', code: 'invalid_parameter', request_id: 'req_told' },
          }),
        }),
      );
      await page.reload();
      await page.getByRole('alert').getByText('the store says no').waitFor();
      await page.getByRole('alert').getByText('req_told').waitFor();
      await page.unroute(address);
      await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
      await headline(page)
        .getByText(/orca-large/)
        .first()
        .waitFor();
    },
    GUARD_MS,
  );

  it(
    'fits and is accessible in both themes and widths, and speaks Chinese',
    async () => {
      for (const theme of ['light', 'dark'] as const) {
        for (const size of [WIDE, NARROW]) {
          const { page, close } = await open('/', { theme, size });
          await page.getByRole('figure', { name: 'Traffic' }).waitFor();
          await expectFits(page);
          await expectAccessible(page);
          await close();
        }
      }
      const { page } = await open('/', { language: 'zh' });
      await page
        .getByText(/^orca-large 正在失败（.+）；由 nova-large 代为回答，但有 \d+ 个请求没有得到回答。$/)
        .waitFor();
      await expectFits(page);
    },
    GUARD_MS,
  );
});
