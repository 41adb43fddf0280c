/** Signing in to the console, as people do it (G-8). */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectFits, NARROW, TestBrowser, whyNoBrowser } from '../support/console/browser.ts';
import { type ConsoleGateway, startConsoleGateway } from '../support/console/console-gateway.ts';

const without = whyNoBrowser();

describe.skipIf(without !== null)(`sign-in${without === null ? '' : ` (${without})`}`, () => {
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

  it('G-8: a token opens the page that was asked for, and signing out closes all of them', async () => {
    const { page } = await browser.open({ url: gateway.url, path: '/keys', expected: [/status of 401/] });
    expect(await page.title()).toBe('Sign in · Understudy');
    await expectAccessible(page);
    await page.getByLabel('Token').fill('not the token');
    await page.keyboard.press('Enter');
    await page.getByText('Nobody has this token').waitFor();
    await page.getByLabel('Token').fill(gateway.adminToken);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Client keys' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/keys');

    const cookies = await page.context().cookies();
    expect(cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite }))).toEqual([
      { name: 'understudy_session', httpOnly: true, sameSite: 'Strict' },
    ]);
    const second = await page.context().newPage();
    await second.goto(`${gateway.url}/console/requests`);
    await second.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();

    await page.getByRole('button', { name: 'Settings and account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
    await second.reload();
    await second.getByLabel('Token').waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  it('G-8: a link with a token signs in, and the token is gone from the address and the history', async () => {
    const { page } = await browser.open({ url: gateway.url, path: '/requests', token: gateway.adminToken });
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    expect(page.url()).not.toContain(gateway.adminToken);
    await page.getByRole('link', { name: 'Targets' }).click();
    await page.getByRole('heading', { level: 1, name: 'Targets' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    expect(page.url()).not.toContain(gateway.adminToken);
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept).not.toContain(gateway.adminToken);
  });

  it('G-8: a session that ends elsewhere brings back the sign-in, and then the same page', async () => {
    const { page } = await browser.open({
      url: gateway.url,
      path: '/audit',
      token: gateway.adminToken,
      expected: [/status of 401/],
    });
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Targets' }).click();
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('Token').fill(gateway.adminToken);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Targets' }).waitFor();
  });

  it('G-8: a member sees one page, and no other by its address', async () => {
    const token = gateway.seeded.members['mia'] ?? '';
    const { page, go } = await browser.open({ url: gateway.url, path: '/', token, expected: [/status of 403/] });
    await page.getByRole('heading', { level: 1, name: 'Find a request' }).waitFor();
    const nav = page.getByRole('navigation', { name: 'Pages' });
    expect(await nav.getByRole('link').allInnerTexts()).toEqual(['Find a request']);
    for (const path of ['/requests', `/requests/${gateway.seeded.requests['failover']}`, '/members', '/audit']) {
      await go(path);
      await page.getByRole('heading', { level: 1, name: 'This page is not for your role' }).waitFor();
    }
    const status = await page
      .evaluate(async (id) => (await fetch(`/admin/v1/requests/${id}`)).status, gateway.seeded.requests['failover'])
      .catch(() => 0);
    expect(status).toBe(403);
  });

  it('a telephone and Chinese: the same, and it fits', async () => {
    const { page } = await browser.open({
      url: gateway.url,
      size: NARROW,
      language: 'zh',
      expected: [/status of 401/],
    });
    await page.getByLabel('令牌').fill(gateway.adminToken);
    await expectFits(page);
    await page.getByRole('button', { name: '登录' }).click();
    await page.getByRole('heading', { level: 1, name: '总览' }).waitFor();
    await expectFits(page);
  });
});
