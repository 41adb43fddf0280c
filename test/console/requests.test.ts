/** The list of requests, as an operator uses it (O-5). */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type ConsolePage,
  expectAccessible,
  expectFits,
  NARROW,
  type OpenOptions,
  TestBrowser,
  whyNoBrowser,
} from '../support/console/browser.ts';
import { consoleConfig } from '../support/console/console-config.ts';
import { type ConsoleGateway, startConsoleGateway } from '../support/console/console-gateway.ts';
import { MARKUP } from '../support/console/hostile-upstream.ts';

/** Wide: two cores are shared, and each page is a whole application. */
const GUARD_MS = 180_000;
const STEP_MS = 60_000;
const without = whyNoBrowser();

describe.skipIf(without !== null)(`requests${without === null ? '' : ` (${without})`}`, () => {
  let gateway: ConsoleGateway;
  let browser: TestBrowser;
  beforeAll(async () => {
    const config = consoleConfig();
    const models = config['models'] as object;
    // Priced: its callers pay in advance.
    const price = { input: 1, output: 1 };
    const late = { price, channels: [{ id: 'north', provider: 'north', model: 'slow-20000' }] };
    gateway = await startConsoleGateway({ config: { models: { ...models, 'tern-late': late } } });
    browser = await TestBrowser.start();
  }, 600_000);
  afterEach(() => browser.settle());
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const open = async (path: string, more: Partial<OpenOptions> = {}): Promise<ConsolePage> => {
    const opened = await browser.open({ url: gateway.url, path, token: gateway.adminToken, ...more });
    opened.page.setDefaultTimeout(STEP_MS);
    return opened;
  };
  const rows = (page: Page): Locator => page.getByRole('table', { name: 'Requests' }).locator('tbody').getByRole('row');
  const until = (page: Page, count: number): Promise<void> =>
    expect.poll(() => rows(page).count(), { timeout: STEP_MS }).toBe(count);
  const shop = (): string => gateway.seeded.keys['shop'] ?? '';
  const choose = async (page: Page, field: string, option: string): Promise<void> => {
    await page.getByRole('button', { name: new RegExp(`${field}$`) }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const ids = async (query: string): Promise<string[]> => {
    const { data } = (await gateway.admin('GET', `/requests?limit=500&${query}`)) as { data: { id: string }[] };
    return data.map(({ id }) => id);
  };

  it(
    'O-5: an operator filters by what went wrong; the address says so, and shows the same to whoever opens it',
    async () => {
      const { page } = await open('/requests?live=off');
      const failed = await ids('outcome=upstream_unavailable');
      await choose(page, 'Outcome', 'Upstream unavailable');
      await until(page, failed.length);
      expect(new URL(page.url()).searchParams.get('outcome')).toBe('upstream_unavailable');
      await rows(page).first().getByText('503 Upstream unavailable').waitFor();
      await page.getByRole('combobox', { name: 'Model' }).fill('no-such-model');
      await page.keyboard.press('Tab');
      await page.getByText('None in the log matches these filters.').waitFor();
      await page.reload();
      await page.getByText('None in the log matches these filters.').waitFor();
      expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('no-such-model');
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await until(page, (await ids('')).length);
      expect(new URL(page.url()).searchParams.get('model')).toBeNull();
    },
    GUARD_MS,
  );

  it(
    'O-5: every filter of the API is there: key, model, status, failover, degraded, exact times',
    async () => {
      const { page, go } = await open('/requests?live=off');
      await page.getByRole('button', { name: 'More filters' }).click();
      await page.getByRole('combobox', { name: 'Client key' }).fill('shop');
      await page.keyboard.press('Tab');
      await choose(page, 'Failover', 'More than one model tried');
      const failover = await ids('key=shop&failover=true');
      expect(failover.length).toBeGreaterThan(0);
      await until(page, failover.length);
      await choose(page, 'Degraded', 'Degraded');
      await until(page, (await ids('key=shop&failover=true&degraded=true')).length);
      await page.getByRole('textbox', { name: 'Status' }).fill('4');
      await page.getByText('A number from 100 to 599.').waitFor();

      await go('/requests?live=off&status=404');
      await until(page, (await ids('status=404')).length);
      expect(await page.getByRole('textbox', { name: 'Status' }).inputValue()).toBe('404');

      await choose(page, 'Time', 'From … until …');
      await page.getByLabel('Until', { exact: true }).fill('2020-01-01T00:00:00');
      await page.getByText('None in the log matches these filters.').waitFor();
      expect(new URL(page.url()).searchParams.get('to')).toBe('2020-01-01T00:00:00.000Z');
      await choose(page, 'Time', 'Last hour');
      await until(page, (await ids('status=404')).length);
      expect(new URL(page.url()).searchParams.get('range')).toBe('1h');
    },
    GUARD_MS,
  );

  it(
    'I-1: an idempotency key finds its requests, and only its hash goes into the address',
    async () => {
      const { page } = await open('/requests?live=off');
      await page.getByRole('button', { name: 'More filters' }).click();
      await choose(page, 'Idempotency key', 'This key …');
      await page.getByRole('textbox', { name: 'The key' }).fill('order-4711');
      await page.keyboard.press('Enter');
      await until(page, 2);
      const hash = new URL(page.url()).searchParams.get('idempotency');
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      expect(page.url()).not.toContain('order-4711');
      await rows(page).first().getByText('Answer given again').waitFor();
    },
    GUARD_MS,
  );

  it(
    'O-5: new rows come on top by themselves, wait while somebody reads, and not at all while it is paused',
    async () => {
      const { page } = await open('/requests?model=nova-large');
      await rows(page).first().waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      const first = await gateway.ask(shop(), { model: 'nova-large' });
      const link = (id: string): Locator => page.locator(`a[href$="/requests/${id}"]`);
      await link(first).waitFor();
      expect(await rows(page).first().locator('a').getAttribute('href')).toContain(first);

      // Who has the pointer on a row reads it.
      const read = rows(page).nth(4);
      await read.hover();
      const before = await read.boundingBox();
      const text = await read.textContent();
      const second = await gateway.ask(shop(), { model: 'nova-large' });
      await page.getByRole('button', { name: '1 new request' }).waitFor();
      expect(await link(second).count()).toBe(0);
      expect(await read.boundingBox()).toEqual(before);
      expect(await read.textContent()).toBe(text);
      await page.getByRole('button', { name: '1 new request' }).click();
      await link(second).waitFor();
      expect(await rows(page).first().locator('a').getAttribute('href')).toContain(second);

      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused', { exact: true }).waitFor();
      const third = await gateway.ask(shop(), { model: 'nova-large' });
      await gateway.logged(third);
      const asked: string[] = [];
      page.on('request', (request) => void asked.push(request.url()));
      await page.getByRole('heading', { level: 1 }).hover();
      await page.getByRole('button', { name: 'Go live' }).click();
      await link(third).waitFor();
      // Nothing had asked for it before one went on.
      expect(asked.filter((url) => url.includes('limit=200')).length).toBeGreaterThan(0);
    },
    GUARD_MS,
  );

  it(
    'O-5: pages follow by cursor, each request once; a page that came back empty is no end',
    async () => {
      for (let n = 0; n < 60; n++) await gateway.ask(shop(), { model: 'sim/ok' });
      await expect.poll(async () => (await ids('model=sim/ok')).length, { timeout: STEP_MS }).toBe(60);
      const { page, go } = await open('/requests?live=off&model=sim%2Fok');
      await until(page, 50);
      await page.getByRole('button', { name: 'Load more' }).click();
      await until(page, 60);
      const hrefs = await rows(page)
        .locator('a')
        .evaluateAll((links) => links.map((one) => one.getAttribute('href')));
      expect(new Set(hrefs).size).toBe(60);
      expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);

      let empty = 0;
      await page.route(
        (url) => url.pathname === '/admin/v1/requests' && !url.searchParams.has('cursor'),
        async (route) => {
          empty += 1;
          await route.fulfill({ json: { data: [], next_cursor: 'searched-so-far' } });
        },
      );
      await page.route(
        (url) => url.searchParams.get('cursor') === 'searched-so-far',
        async (route) => {
          const url = new URL(route.request().url());
          url.searchParams.delete('cursor');
          await route.fulfill({ response: await page.request.get(url.toString()) });
        },
      );
      await go('/requests?live=off&model=sim%2Fok');
      await until(page, 50);
      expect(empty).toBe(1);
    },
    GUARD_MS,
  );

  it(
    'O-5: the export holds exactly what is filtered, as CSV and as NDJSON',
    async () => {
      const { page } = await open('/requests?live=off&key=mobile');
      const wanted = await ids('key=mobile');
      await until(page, wanted.length);
      const save = async (item: string): Promise<{ name: string; text: string }> => {
        await page.getByRole('button', { name: 'Export' }).click();
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('menuitem', { name: item }).click(),
        ]);
        return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
      };
      const lines = await save('NDJSON');
      expect(lines.name).toMatch(/\.ndjson$/);
      const found = lines.text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id);
      expect(found).toEqual(wanted);
      const csv = await save('CSV');
      expect(csv.name).toMatch(/\.csv$/);
      const table = csv.text.trim().split('\r\n');
      expect(table.length).toBe(wanted.length + 1);
      for (const [index, id] of wanted.entries()) expect(table[index + 1]).toContain(id);
    },
    GUARD_MS,
  );

  it(
    'O-5: what is under way is a click away, and its page grows until it is over',
    async () => {
      // The log is asked first, and does not have it yet.
      const { page } = await open('/requests', { expected: [/status of 404/] });
      const answered = gateway.ask(shop(), { models: ['orca-large', 'tern-late'] });
      await page.getByRole('button', { name: '1 under way' }).click();
      await page.getByRole('dialog').getByRole('link', { name: 'orca-large' }).click();
      await page.getByText('Running', { exact: true }).waitFor();
      await page.getByText('Failed: 503 overloaded').first().waitFor();
      await page.getByText('Waiting for an answer', { exact: true }).waitFor();
      const id = await answered;
      expect(page.url()).toContain(id);
      await page.getByText(/tern-late answered in .*; the answer is whole\./).waitFor();
      expect(await page.getByText('Running', { exact: true }).count()).toBe(0);
    },
    GUARD_MS,
  );

  it(
    'G-8: a workspace admin sees the requests of its own workspace, and no other by its filters',
    async () => {
      const token = gateway.seeded.members['grace'] ?? '';
      const { page, go } = await open('/requests?live=off', { token });
      const own = await ids('workspace=acme&key=mobile');
      await page.getByRole('combobox', { name: 'Client key' }).fill('mobile');
      await page.keyboard.press('Tab');
      await until(page, own.length);
      await go('/requests?live=off&key=batch&workspace=globex');
      await page.getByText('None in the log matches these filters.').waitFor();
    },
    GUARD_MS,
  );

  it(
    'G-9: a model name of markup is text; what a filter cannot be is said',
    async () => {
      await gateway.logged(await gateway.ask(shop(), { model: MARKUP }));
      const { page, go } = await open('/requests?live=off&status=404', { expected: [/status of 400/] });
      await page.getByRole('link').or(page.getByRole('cell')).filter({ hasText: MARKUP }).first().waitFor();
      expect(await page.evaluate(() => 'understudyWasHacked' in globalThis)).toBe(false);
      await go('/requests?live=off&from=yesterday');
      await page.getByText(/`from`/).waitFor();
    },
    GUARD_MS,
  );

  it.each(['light', 'dark'] as const)(
    'accessible in %s, and as wide as a desk or a telephone',
    async (theme) => {
      const { page } = await open('/requests?live=off&failover=true', { theme });
      await rows(page).first().waitFor();
      await expectAccessible(page);
      await expectFits(page);
      await page.setViewportSize(NARROW);
      await expectFits(page);
      await expectAccessible(page);
      await page.close();
      const chinese = await open('/requests?live=off', { theme, language: 'zh', size: NARROW });
      await chinese.page.getByText('模型（实际）').first().waitFor();
      await expectFits(chinese.page);
    },
    GUARD_MS,
  );
});
