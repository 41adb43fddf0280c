/** Who may do what, and with what: keys, credentials, members, workspaces with their money, the audit log, as people use them. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type ConsolePage,
  expectAccessible,
  expectFits,
  NARROW,
  type OpenOptions,
  TestBrowser,
  WIDE,
  whyNoBrowser,
} from '../support/console/browser.ts';
import { type ConsoleGateway, startConsoleGateway } from '../support/console/console-gateway.ts';
import { MARKUP } from '../support/console/hostile-upstream.ts';

/** Wide: two cores are shared, and each page is a whole application. */
const GUARD_MS = 180_000;
/** As many failures as suspend a key (G-6), and a few more. */
const NOISE = 110;
const without = whyNoBrowser();

describe.skipIf(without !== null)(`access${without === null ? '' : ` (${without})`}`, () => {
  let gateway: ConsoleGateway;
  let browser: TestBrowser;
  beforeAll(async () => {
    gateway = await startConsoleGateway();
    browser = await TestBrowser.start();
  }, 400_000);
  afterEach(() => browser.settle());
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const open = (path: string, more: Partial<OpenOptions> = {}): Promise<ConsolePage> =>
    browser.open({ url: gateway.url, path, token: gateway.adminToken, ...more });
  /** Status of a request with a client key. */
  const statusFor = async (key: string, model = 'nova-large'): Promise<number> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    return response.status;
  };
  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const act = async (page: Page, name: string, what: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: what }).click();
  };
  const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
  const asked = (page: Page, name: string) => page.getByRole('alertdialog', { name });
  const kept = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'I have kept it' }).click();

  it(
    'G-8, G-11: a key is created, shown once, limited, and revoked at once',
    async () => {
      const { page } = await open('/keys');
      await page.getByRole('button', { name: 'Create a key' }).click();
      const form = dialog(page, 'Create a key');
      await form.getByLabel('Name', { exact: true }).fill('till');
      await form.getByRole('combobox', { name: 'Workspace' }).fill('globex');
      await page.keyboard.press('Escape');
      await form.getByLabel('Models it may call').fill('nova-large\nnova-flash');
      await form.getByLabel('Works until').fill('2099-12-31T23:59');
      await form.getByLabel('Requests per day').fill('4');
      await form.getByRole('button', { name: 'Create', exact: true }).click();
      const secret = (await dialog(page, 'The key till works now').locator('code').first().textContent()) ?? '';
      await kept(page);
      expect(secret).toMatch(/^us-/);
      expect(await page.getByText(secret).count()).toBe(0);
      expect(await statusFor(secret)).toBe(200);
      expect(await statusFor(secret, 'orca-mini')).toBe(403);
      expect(await gateway.admin('GET', '/keys/till')).toMatchObject({
        workspace: 'globex',
        models: ['nova-large', 'nova-flash'],
        expires_at: '2099-12-31T23:59:00.000Z',
        limits: { rpd: 4 },
      });

      await page.reload();
      await page.getByRole('link', { name: 'till' }).click();
      const details = dialog(page, 'till');
      const limits = details.getByRole('region', { name: 'Limits, and what is used of them' });
      await limits.getByText(/^\d of 4 · \d+ %$/).waitFor();
      await details.getByRole('button', { name: 'Close' }).click();

      await act(page, 'till', 'Edit');
      const edit = dialog(page, 'Change till');
      await edit.getByLabel('Requests per day').fill('');
      await edit.getByLabel('US dollars per month').fill('12.5');
      await edit.getByRole('button', { name: 'Save' }).click();
      await page.getByText('till is changed').waitFor();
      expect(await gateway.admin('GET', '/keys/till')).toMatchObject({
        limits: { usd_per_month: 12.5 },
        expires_at: '2099-12-31T23:59:00.000Z',
      });

      await act(page, 'till', 'Revoke');
      await asked(page, 'Revoke till').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('till is revoked').waitFor();
      expect(await statusFor(secret)).toBe(401);
    },
    GUARD_MS,
  );

  it(
    'G-11: soft limits that the form does not ask for stay as they are',
    async () => {
      const soft = { usd_per_day: 3 };
      await gateway.admin('PATCH', '/keys/mobile', { limits: { rpm: 50, soft } });
      const { page } = await open('/keys');
      await act(page, 'mobile', 'Edit');
      const edit = dialog(page, 'Change mobile');
      await edit.getByLabel('Requests per minute').fill('60');
      await edit.getByRole('button', { name: 'Save' }).click();
      await page.getByText('mobile is changed').waitFor();
      expect(await gateway.admin('GET', '/keys/mobile')).toMatchObject({ limits: { rpm: 60, soft } });
    },
    GUARD_MS,
  );

  it(
    'G-6: a suspended key says so and why, and an account admin serves it again; a workspace admin can’t',
    async () => {
      const { secret } = await gateway.admin('POST', '/keys', { name: 'noisy', workspace: 'acme' });
      for (let n = 0; n < NOISE; n++) await statusFor(String(secret), 'nowhere');
      expect(await statusFor(String(secret))).toBe(429);

      const grace = await open('/keys?show=noisy', { token: gateway.seeded.members['grace'] ?? '' });
      const hers = dialog(grace.page, 'noisy');
      await hers.getByText('An account admin can lift it.').waitFor();
      expect(await hers.getByRole('button', { name: 'Lift' }).count()).toBe(0);
      await grace.close();

      const { page } = await open('/keys');
      await rowOf(page, 'noisy').getByText('Suspended').waitFor();
      await page.getByRole('link', { name: 'noisy' }).click();
      await dialog(page, 'noisy').getByText('Nearly all its requests failed. It is served again in').waitFor();
      await dialog(page, 'noisy').getByRole('button', { name: 'Lift' }).click();
      await asked(page, 'Serve noisy again').getByRole('button', { name: 'Lift' }).click();
      await page.getByText('noisy is served again').waitFor();
      expect(await statusFor(String(secret))).toBe(200);
    },
    GUARD_MS,
  );

  it(
    'D-7: how many upstream calls one request of a key cost, its clients’ own repeats not counted as wishes',
    async () => {
      const { data } = (await gateway.admin('GET', '/usage?by=key')) as unknown as {
        data: { name: string; requests: number; client_retries: number; upstream_calls: number }[];
      };
      const shop = data.find(({ name }) => name === 'shop');
      const calls = shop!.upstream_calls / (shop!.requests - shop!.client_retries);
      const { page } = await open('/keys?show=shop');
      const section = page.getByRole('region', { name: 'Upstream calls per request, last 30 days' });
      await section.getByText(String(Math.round(calls * 100) / 100), { exact: true }).waitFor();
      await section.getByText(`${shop!.upstream_calls} upstream calls for`, { exact: false }).waitFor();
    },
    GUARD_MS,
  );

  it(
    'P-1, H-3: a credential is added, in trouble seen, given another secret and removed; its secret is nowhere',
    async () => {
      const { data } = (await gateway.admin('GET', '/health/targets')) as unknown as {
        data: { id: string; model: string; credential: string | null }[];
      };
      const target = data.find(({ model, credential }) => model === 'orca-mini' && credential === 'south-main');
      await gateway.admin('POST', `/health/targets/${encodeURIComponent(target?.id ?? '')}/drain`);
      const { page } = await open('/credentials');
      await rowOf(page, 'south-main')
        .getByText(/\d of \d not called|None called/)
        .waitFor();
      await page.getByRole('button', { name: 'Add a credential' }).click();
      const form = dialog(page, 'Add a credential');
      await form.getByLabel('Name', { exact: true }).fill('south-third');
      await form.getByRole('combobox', { name: 'Provider' }).fill('south');
      await page.keyboard.press('Escape');
      await form.getByLabel('Secret').fill('third-secret-first');
      await form.getByLabel('Order').fill('9');
      await form.getByRole('button', { name: 'Add', exact: true }).click();
      await rowOf(page, 'south-third').waitFor();
      const before = await gateway.admin('GET', '/credentials/south-third');
      expect(before).toMatchObject({ provider: 'south', kind: 'platform', order: 9 });

      await act(page, 'south-third', 'New secret');
      const rotate = dialog(page, 'A new secret for south-third');
      await rotate.getByLabel('Secret').fill('third-secret-second');
      await rotate.getByRole('button', { name: 'Use the new one' }).click();
      await page.getByText('south-third uses the new secret').waitFor();
      expect(Number((await gateway.admin('GET', '/credentials/south-third'))['version'])).toBe(
        Number(before['version']) + 1,
      );
      expect(await page.getByText('third-secret', { exact: false }).count()).toBe(0);

      await act(page, 'south-third', 'Remove');
      await asked(page, 'Remove south-third').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('south-third is removed').waitFor();
      await expect(gateway.admin('GET', '/credentials/south-third')).rejects.toThrow('404');
      // Of the file: nothing to do to it here.
      await rowOf(page, 'north-main').getByText('From the file').waitFor();
      expect(await page.getByRole('button', { name: 'Actions for north-main' }).count()).toBe(0);
    },
    GUARD_MS,
  );

  it(
    'G-8: a member is added with a token shown once, signs in with it, and is out when removed',
    async () => {
      const { page } = await open('/members');
      await page.getByRole('button', { name: 'Add a member' }).click();
      const form = dialog(page, 'Add a member');
      await form.getByLabel('Name', { exact: true }).fill('hugo');
      await form.getByRole('combobox', { name: 'Workspace' }).fill('acme');
      await page.keyboard.press('Escape');
      await form.getByRole('button', { name: 'Add', exact: true }).click();
      const token = (await dialog(page, 'hugo can sign in now').locator('code').first().textContent()) ?? '';
      await kept(page);
      expect(await page.getByText(token).count()).toBe(0);

      const hugo = await open('/keys', { token, expected: [/status of 401/] });
      await hugo.page.getByRole('link', { name: 'shop' }).waitFor();
      expect(await hugo.page.getByText('batch').count()).toBe(0);
      await hugo.page.goto(`${gateway.url}/console/members`);
      await hugo.page.getByText('This page is not for your role').waitFor();

      await act(page, 'hugo', 'Remove');
      await asked(page, 'Remove hugo').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('hugo is removed').waitFor();
      await hugo.page.goto(`${gateway.url}/console/keys`);
      await hugo.page.getByRole('button', { name: 'Sign in' }).waitFor();
    },
    GUARD_MS,
  );

  it(
    'G-4: a balance is topped up and adjusted, each with its note among the entries; notes that are markup are text',
    async () => {
      const { page } = await open('/workspaces');
      await page.getByRole('link', { name: 'acme' }).click();
      const before = Number((await gateway.admin('GET', '/workspaces/acme/balance'))['balance_usd']);
      await page.getByRole('button', { name: 'Top up' }).click();
      const form = dialog(page, 'Top up acme');
      await form.getByLabel('Amount in US dollars').fill('25');
      await form.getByLabel('Note').fill(`Invoice 7 ${MARKUP}`);
      await form.getByRole('button', { name: 'Top up' }).click();
      await page.getByText('Booked. The balance is').waitFor();
      const entries = page.getByRole('table', { name: 'Entries' });
      await entries.getByText(`Invoice 7 ${MARKUP}`).waitFor();
      await page.getByRole('button', { name: 'Adjust' }).click();
      const adjust = dialog(page, 'Adjust the balance of acme');
      await adjust.getByLabel('Amount in US dollars').fill('-5');
      await adjust.getByRole('button', { name: 'Adjust' }).click();
      await entries.getByText('−$5.00').waitFor();
      const after = Number((await gateway.admin('GET', '/workspaces/acme/balance'))['balance_usd']);
      expect(after).toBeCloseTo(before + 20, 6);
      expect(await page.evaluate(() => 'understudyWasHacked' in globalThis)).toBe(false);
    },
    GUARD_MS,
  );

  it(
    'G-8: an account admin changes what a workspace is granted; its own admin its rules alone, and no money',
    async () => {
      const { page, close } = await open('/workspaces/acme');
      await page.getByRole('button', { name: 'Edit' }).click();
      const form = dialog(page, 'Change acme');
      await form.getByLabel('Requests at a time').fill('40');
      await form.getByLabel('Redundancy').fill('{ "policy": "strict" ');
      await form.getByText('This is no JSON', { exact: false }).waitFor();
      expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
      await form.getByLabel('Redundancy').fill('{ "policy": "strict" }');
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByText('acme is changed').waitFor();
      expect(await gateway.admin('GET', '/workspaces/acme')).toMatchObject({
        limits: { concurrent: 40 },
        redundancy: { policy: 'strict' },
        balance_usd: 250,
        default_model: 'nova-large',
      });
      // Built in: in no store before its first change.
      await page.goto(`${gateway.url}/console/workspaces/default`);
      await page.getByRole('button', { name: 'Edit' }).click();
      await dialog(page, 'Change default').getByLabel('Requests at a time').fill('500');
      await dialog(page, 'Change default').getByRole('button', { name: 'Save' }).click();
      await page.getByText('default is changed').waitFor();
      expect(await gateway.admin('GET', '/workspaces/default')).toMatchObject({ limits: { concurrent: 500 } });
      await close();

      const grace = await open('/workspaces/acme', { token: gateway.seeded.members['grace'] ?? '' });
      await grace.page.getByText('Balance', { exact: true }).waitFor();
      expect(await grace.page.getByRole('button', { name: 'Top up' }).count()).toBe(0);
      await grace.page.getByRole('button', { name: 'Edit' }).click();
      const hers = dialog(grace.page, 'Change acme');
      expect(await hers.getByLabel('Default model').count()).toBe(0);
      await hers.getByLabel('Models it may not use').fill('orca-*');
      await hers.getByRole('button', { name: 'Save' }).click();
      await grace.page.getByText('acme is changed').waitFor();
      expect(await gateway.admin('GET', '/workspaces/acme')).toMatchObject({ guardrails: { deny_models: ['orca-*'] } });
    },
    GUARD_MS,
  );

  it(
    'G-8: somebody else was faster: nothing is overwritten, and it says what to do',
    async () => {
      const { page } = await open('/keys', { expected: [/status of 409/] });
      await act(page, 'batch', 'Edit');
      const edit = dialog(page, 'Change batch');
      await edit.getByLabel('Requests per minute').fill('7');
      await gateway.admin('PATCH', '/keys/batch', { limits: { rpm: 99 } });
      await edit.getByRole('button', { name: 'Save' }).click();
      await edit
        .getByRole('alert')
        .getByText('Somebody else has changed it since you opened it.', { exact: false })
        .waitFor();
      expect(await gateway.admin('GET', '/keys/batch')).toMatchObject({ limits: { rpm: 99 } });
      await edit.getByRole('button', { name: 'Cancel' }).click();
      await act(page, 'batch', 'Edit');
      await expect.poll(() => dialog(page, 'Change batch').getByLabel('Requests per minute').inputValue()).toBe('99');
    },
    GUARD_MS,
  );

  it(
    'G-7: the audit log tells who changed what, field by field, found by its object',
    async () => {
      await gateway.admin('PATCH', '/workspaces/globex', { guardrails: { deny_regions: [MARKUP] } });
      const { page } = await open('/audit');
      await page.getByLabel('To what').fill('workspace globex');
      const row = page.getByRole('row').filter({ hasText: 'workspace.change' }).first();
      await row.getByText('workspace globex').waitFor();
      await row.getByRole('button', { name: 'Show what changed' }).click();
      const changes = page.getByRole('dialog').getByRole('table', { name: 'What changed' });
      await changes
        .getByRole('row')
        .filter({ hasText: 'guardrails' })
        .getByText(JSON.stringify(MARKUP), { exact: false })
        .waitFor();
      expect(await page.evaluate(() => 'understudyWasHacked' in globalThis)).toBe(false);
    },
    GUARD_MS,
  );

  it(
    'O-5: nothing serious for axe, and it fits: wide and narrow, light and dark, forms too',
    async () => {
      for (const [size, theme, language] of [
        [WIDE, 'light', 'en'],
        [NARROW, 'dark', 'zh'],
      ] as const) {
        const { page, go, close } = await open('/keys', { size, theme, language });
        for (const path of [
          '/keys',
          '/keys?show=mobile',
          '/credentials',
          '/members',
          '/workspaces',
          '/workspaces/acme',
          '/audit',
        ]) {
          await go(path);
          await page.waitForLoadState('networkidle');
          await expectFits(page);
          await expectAccessible(page);
        }
        await go('/keys');
        await page.getByRole('button', { name: language === 'en' ? 'Create a key' : '创建密钥' }).click();
        await page.getByRole('dialog').waitFor();
        await expectFits(page);
        await expectAccessible(page);
        await close();
      }
    },
    GUARD_MS,
  );
});
