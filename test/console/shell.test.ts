/** What is around every page of the console: navigation, theme, language, search, workspace, dead ends. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectFits, NARROW, TestBrowser, WIDE, whyNoBrowser } from '../support/console/browser.ts';
import { type ConsoleGateway, startConsoleGateway } from '../support/console/console-gateway.ts';

const without = whyNoBrowser();

describe.skipIf(without !== null)(`the frame of the console${without === null ? '' : ` (${without})`}`, () => {
  let gateway: ConsoleGateway;
  let browser: TestBrowser;
  beforeAll(async () => {
    gateway = await startConsoleGateway();
    browser = await TestBrowser.start();
  });
  afterEach(() => browser.settle());
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const signedIn = { token: 'x' };
  beforeAll(() => {
    signedIn.token = gateway.adminToken;
  });

  it('by keyboard alone: past the navigation, and to another page, which is then told by its title', async () => {
    const { page } = await browser.open({ url: gateway.url, path: '/keys', ...signedIn });
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the page' });
    expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('page');
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Credentials' });
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Credentials' }).waitFor();
    await expect.poll(() => page.title()).toBe('Credentials · Understudy');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('page');
    expect(await link.getAttribute('aria-current')).toBe('page');
  });

  it('the theme is the system’s until another is chosen, and stays chosen', async () => {
    const { page } = await browser.open({ url: gateway.url, path: '/keys', theme: 'dark', ...signedIn });
    const theme = (): Promise<string | undefined> => page.evaluate(() => document.documentElement.dataset['theme']);
    expect(await theme()).toBe('dark');
    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByRole('menuitemradio', { name: 'Light' }).click();
    expect(await theme()).toBe('light');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await theme()).toBe('light');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await theme()).toBe('light');
  });

  it('the language is the browser’s until another is chosen, and stays chosen', async () => {
    const { page } = await browser.open({ url: gateway.url, path: '/keys', language: 'zh', ...signedIn });
    await page.getByRole('heading', { level: 1, name: '客户端密钥' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN');
    await page.getByRole('button', { name: '设置与账户' }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Client keys' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Client keys' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('en');
  });

  it('an id from a header opens its request', async () => {
    const { page } = await browser.open({ url: gateway.url, path: '/keys', ...signedIn });
    const id = gateway.seeded.requests['failover'] ?? '';
    await page.getByRole('textbox', { name: 'Open a request by id' }).fill(` ${id} `);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/requests/${id}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it('G-8: the workspace in view is in the address, goes along from page to page, and is no choice for its admin', async () => {
    const { page } = await browser.open({ url: gateway.url, path: '/keys', ...signedIn });
    await page
      .getByRole('banner')
      .getByRole('button', { name: /Workspace/ })
      .click();
    await page.getByRole('option', { name: 'acme' }).click();
    await page.waitForURL('**/console/keys?workspace=acme');
    await page.getByRole('link', { name: 'Targets' }).click();
    await page.waitForURL('**/console/targets?workspace=acme');
    const grace = await browser.open({
      url: gateway.url,
      path: '/keys',
      token: gateway.seeded.members['grace'] ?? '',
    });
    expect(
      await grace.page
        .getByRole('banner')
        .getByRole('button', { name: /Workspace/ })
        .count(),
    ).toBe(0);
    expect(await grace.page.getByRole('link', { name: 'Members' }).count()).toBe(0);
    await grace.go('/members');
    await grace.page.getByRole('heading', { level: 1, name: 'This page is not for your role' }).waitFor();
  });

  it('an address without a page says so, and leads back', async () => {
    const { page } = await browser.open({ url: gateway.url, path: '/nowhere/at/all', ...signedIn });
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await page.waitForURL(/\/console\/?$/);
  });

  it('at the width of a telephone the pages lie in a drawer that opens and closes', async () => {
    const { page } = await browser.open({ url: gateway.url, path: '/keys', size: NARROW, ...signedIn });
    await expectFits(page);
    const nav = page.getByRole('navigation', { name: 'Pages' });
    expect(await nav.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await nav.getByRole('link', { name: 'Audit log' }).waitFor();
    await expectAccessible(page);
    const behind = (): Promise<boolean> => page.locator('main').evaluate((main) => main.closest('[inert]') !== null);
    expect(await behind()).toBe(true);
    await page.keyboard.press('Escape');
    await nav.waitFor({ state: 'hidden' });
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Open the menu');
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.setViewportSize(WIDE);
    await expect.poll(behind).toBe(false);
    await page.setViewportSize(NARROW);
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await nav.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    await nav.waitFor({ state: 'hidden' });
    await expectFits(page);
  });
});
