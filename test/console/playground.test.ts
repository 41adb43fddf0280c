/** The playground, as somebody uses it who wants to see a failover happen (X-4, O-5). */

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectFits, NARROW, TestBrowser, whyNoBrowser } from '../support/console/browser.ts';
import { type ConsoleGateway, startConsoleGateway } from '../support/console/console-gateway.ts';

const without = whyNoBrowser();

describe.skipIf(without !== null)(`the playground${without === null ? '' : ` (${without})`}`, () => {
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

  /** Before a request is known by its id, its trace is asked for and not there: 404, as it should be. */
  const open = (more: object = {}) =>
    browser.open({
      url: gateway.url,
      path: '/playground',
      token: gateway.adminToken,
      expected: [/status of (404|[45]\d\d)/, /ERR_FAILED/],
      ...more,
    });
  const chooseModel = async (page: Page, label: string, name: string): Promise<void> => {
    const field = page.getByRole('combobox', { name: label });
    await field.fill(name);
    await field.press('Escape');
  };
  const answered = (page: Page) => page.getByRole('region', { name: 'The answer' });
  const traced = (page: Page) => page.getByRole('region', { name: 'What the gateway does' });
  const keys = async (): Promise<string[]> => {
    const response = await fetch(`${gateway.url}/admin/v1/keys?limit=1000`, {
      headers: { authorization: `Bearer ${gateway.adminToken}` },
    });
    const { data } = (await response.json()) as { data: { name: string }[] };
    return data.map(({ name }) => name).filter((name) => name.startsWith('playground-'));
  };

  it.each(['OpenAI Chat Completions', 'OpenAI Responses', 'Anthropic Messages', 'Google Gemini'])(
    'O-5: a request in the dialect of %s, covered by another model, as a stream',
    async (dialect) => {
      const { page } = await open();
      await chooseModel(page, 'Model', 'orca-large');
      await chooseModel(page, 'Fallback 1', 'nova-large');
      await page.getByRole('button', { name: /Dialect/ }).click();
      await page.getByRole('option', { name: dialect }).click();
      await page.getByText('As a stream').click();
      await page.getByRole('button', { name: 'Send' }).click();
      await answered(page).getByText('nova-large', { exact: true }).waitFor();
      await traced(page)
        .getByText(/nova-large via/)
        .waitFor();
      await traced(page).getByRole('link', { name: 'Show the whole request' }).waitFor();
      const words = await answered(page).getByTestId('answer').textContent();
      expect(words).toMatch(/\w{3}/);
      expect(words).not.toContain('no text');
      expect(await answered(page).getByText('not whole').count()).toBe(0);
    },
  );

  it('X-4: calls fail on purpose, and the trace says that nobody was called', async () => {
    const { page } = await open({ path: '/playground?model=nova-large&fallback=tern-slow' });
    await page.getByRole('button', { name: /Make the first calls fail/ }).click();
    await page.getByRole('option', { name: '503, overloaded' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await traced(page).getByRole('link', { name: 'Show the whole request' }).waitFor();
    await traced(page).getByText('Failed: 503 overloaded').waitFor();
    await traced(page).getByText('rehearsed').first().waitFor();
    await traced(page).getByRole('link', { name: 'Show the whole request' }).click();
    await page.getByRole('heading', { level: 1, name: 'Request' }).waitFor();
  });

  it('O-5: the trace grows while an answer is waited for, and a try can be stopped', async () => {
    const { page } = await open();
    await chooseModel(page, 'Model', 'sim/hang');
    await page.getByRole('button', { name: 'Send' }).click();
    await traced(page).getByText('sim/hang').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await answered(page).getByText('You stopped it.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });

  it('T-5: a stream that breaks off is said to be not whole', async () => {
    const { page } = await open();
    await chooseModel(page, 'Model', 'tern-cut');
    await page.getByText('As a stream').click();
    await page.getByRole('button', { name: 'Send' }).click();
    await answered(page).getByText('this answer is not whole').waitFor();
  });

  it('G-9: its key is its own, and is revoked when the page is left', async () => {
    const before = await keys();
    const { page } = await open();
    await chooseModel(page, 'Model', 'nova-large');
    await page.getByRole('button', { name: 'Send' }).click();
    await traced(page).getByRole('link', { name: 'Show the whole request' }).waitFor();
    const own = (await keys()).filter((name) => !before.includes(name));
    expect(own).toHaveLength(1);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await expect.poll(keys, { timeout: 20_000 }).not.toContain(own[0]);
  });

  it('G-9: its key is revoked before the session ends that could revoke it', async () => {
    const before = await keys();
    const { page } = await open();
    await chooseModel(page, 'Model', 'nova-large');
    await page.getByRole('button', { name: 'Send' }).click();
    await answered(page).getByText('200', { exact: true }).waitFor();
    expect((await keys()).length).toBe(before.length + 1);
    await page.getByRole('button', { name: 'Settings and account' }).click();
    const revoking = page.waitForResponse((one) => one.request().method() === 'DELETE' && one.url().includes('/keys/'));
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    expect((await revoking).status()).toBe(200);
    await page.getByLabel('Token').waitFor();
    await expect.poll(keys, { timeout: 20_000 }).toEqual(before);
  });

  it('O-5: what the gateway never took in is not looked for without end', async () => {
    const { page } = await open();
    await page.route('**/v1/chat/completions', (route) => route.abort());
    await chooseModel(page, 'Model', 'nova-large');
    await page.getByRole('button', { name: 'Send' }).click();
    await answered(page).getByText('The connection to the gateway was lost').waitFor();
    await traced(page).getByText('has no record of this request').waitFor();
    let asked = 0;
    page.on('request', () => {
      asked += 1;
    });
    await page.waitForTimeout(1_000);
    expect(asked).toBe(0);
  });

  it('G-8: a workspace’s admin plays within the workspace', async () => {
    const { page } = await open({ token: gateway.seeded.members['grace'] });
    await chooseModel(page, 'Model', 'nova-large');
    await page.getByRole('button', { name: 'Send' }).click();
    await answered(page).getByText('200', { exact: true }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Workspace' }).count()).toBe(0);
  });

  it('G-9: words of a model that look like a page are text', async () => {
    const { page } = await open();
    await chooseModel(page, 'Model', '<img src=x onerror="document.title=`taken`">');
    await page.getByRole('button', { name: 'Send' }).click();
    await answered(page).getByText('404', { exact: true }).waitFor();
    await answered(page).getByText('Bytes as they came').click();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.title()).not.toBe('taken');
  });

  it.each([{ theme: 'light' }, { theme: 'dark', size: NARROW }] as const)('accessible and fitting: %o', async (how) => {
    const { page } = await open({ ...how, path: '/playground?model=orca-large&fallback=nova-large' });
    await page.getByRole('button', { name: 'Send' }).click();
    await traced(page).getByRole('link', { name: 'Show the whole request' }).waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });
});
