/** What holds on every page: it opens without a fault, is accessible, fits both widths in both themes, and shows texts as text. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectFits, NARROW, TestBrowser, WIDE, whyNoBrowser } from '../support/console/browser.ts';
import { type ConsoleGateway, startConsoleGateway } from '../support/console/console-gateway.ts';

const without = whyNoBrowser();

/** Addresses with a name or an id in them, as they are tried here. */
const FILLED: Readonly<Record<string, (gateway: ConsoleGateway) => string>> = {
  '/requests/:id': (gateway) => `/requests/${gateway.seeded.requests['failover']}`,
  '/workspaces/:name': () => '/workspaces/acme',
  '/webhooks/:name': () => '/webhooks/none-of-this-name',
};

const table = readFileSync(new URL('../../console/src/pages.ts', import.meta.url), 'utf8');
const paths = [...table.matchAll(/paths: \[([^\]]+)\]/g)].flatMap(([, list]) =>
  [...(list ?? '').matchAll(/'([^']+)'/g)].map(([, path]) => path ?? ''),
);

/** A client chose it; it comes back in lists, traces, filters and messages. */
const HOSTILE = `<img src=x onerror="globalThis.ran=1">{{7*7}}"'\u202Egnp.\u0000`;

describe.skipIf(without !== null)(`every page${without === null ? '' : ` (${without})`}`, () => {
  let gateway: ConsoleGateway;
  let browser: TestBrowser;
  let hostile: string;
  beforeAll(async () => {
    gateway = await startConsoleGateway();
    browser = await TestBrowser.start();
    hostile = await gateway.ask(gateway.seeded.keys['shop'] ?? '', { model: HOSTILE });
    await gateway.logged(hostile);
  }, 180_000);
  afterEach(() => browser.settle());
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  it('the table of pages is read as it is', () => {
    expect(paths.length).toBeGreaterThan(12);
    expect(paths.filter((path) => path.includes(':') && FILLED[path] === undefined)).toEqual([]);
  });

  it.each(paths)(
    '%s is accessible and fits, in both themes and at both widths',
    async (path) => {
      const token = path === '/lookup' ? (gateway.seeded.members['mia'] ?? '') : gateway.adminToken;
      const address = FILLED[path]?.(gateway) ?? path;
      for (const [theme, size] of [
        ['light', WIDE],
        ['dark', NARROW],
        ['dark', WIDE],
      ] as const) {
        // A name that is not there is told by the gateway as well as by the page.
        const opened = await browser.open({ url: gateway.url, path: address, token, theme, size, expected: [/ 404 /] });
        await opened.page.waitForFunction(() => document.querySelector('[data-loading]') === null);
        await expectAccessible(opened.page);
        await expectFits(opened.page);
        expect(opened.faults).toEqual([]);
        await opened.close();
      }
    },
    120_000,
  );

  it.each(['/requests', '/requests/HOSTILE', '/', '/audit'])(
    'G-9: %s shows a hostile name of a model as text',
    async (path) => {
      const address = path.replace('HOSTILE', hostile);
      const { page } = await browser.open({ url: gateway.url, path: address, token: gateway.adminToken });
      if (path.startsWith('/requests')) await page.getByText('onerror=').first().waitFor();
      await page.waitForFunction(() => document.querySelector('[data-loading]') === null);
      expect(await page.locator('main img, main [onerror]').count()).toBe(0);
      expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
    },
  );
});
