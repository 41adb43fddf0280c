/** Decision tables: what they say, and what other decisions would have done (O-5, D-12). */
import type { Locator, Page } from 'playwright-core';
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

/** Wide: two cores are shared, and each page is a whole application. */
const GUARD_MS = 180_000;
/** For one step, on a machine that does much else. */
const STEP_MS = 40_000;
const without = whyNoBrowser();

describe.skipIf(without !== null)(`policies${without === null ? '' : ` (${without})`}`, () => {
  let gateway: ConsoleGateway;
  let browser: TestBrowser;
  beforeAll(async () => {
    gateway = await startConsoleGateway();
    browser = await TestBrowser.start();
  }, 240_000);
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
  const cell = (page: Page, policy: string, failure: string): Locator =>
    page.getByRole('button', { name: `${policy}, ${failure}:` });
  const answers = (page: Page): Locator => page.getByRole('region', { name: 'What the last 24 hours would have done' });
  /** Opens a cell and leaves nothing of it but a stop. */
  const stopAt = async (page: Page, policy: string, failure: string): Promise<void> => {
    await cell(page, policy, failure).click();
    const dialog = page.getByRole('dialog');
    for (const step of ['next channel', 'next model', 'repeat']) {
      await dialog.getByRole('button', { name: `Remove the step: ${step}` }).click();
    }
    await dialog.getByText('A cell needs at least one step.').waitFor();
    await dialog.getByRole('button', { name: /Add a step/ }).click();
    await page.getByRole('option', { name: 'stop' }).click();
    await dialog.getByRole('button', { name: 'Put into the draft' }).click();
    await dialog.waitFor({ state: 'hidden' });
  };

  it(
    'D-12: each cell in force stands beside what is built in, and differences are said in words',
    async () => {
      const { page } = await open('/policies');
      await cell(page, 'standard', 'Overloaded').getByText('changed in the file').waitFor();
      await cell(page, 'standard', 'Overloaded').getByText('built in: next channel → next model → repeat').waitFor();
      expect(await page.getByText('differs', { exact: true }).count()).toBe(0);
      await page.getByRole('button', { name: /Mark differences from/ }).click();
      await page.getByRole('option', { name: 'built-in standard' }).click();
      await cell(page, 'strict', 'Credential refused').getByText('differs').waitFor();
      const text = await cell(page, 'strict', 'Credential refused').textContent();
      expect(text).toContain('standard: next credential → next channel → alert → stop');
      expect(new URL(page.url()).searchParams.get('against')).toBe('standard');
    },
    GUARD_MS,
  );

  it(
    'D-12: a draft of a cell is judged by what happened: who would have been lost, which requests, and the lines for the file',
    async () => {
      const { page } = await open('/policies');
      await stopAt(page, 'standard', 'Overloaded');
      await cell(page, 'standard', 'Overloaded').getByText('in force: repeat → next channel → next model').waitFor();
      const lines = page.getByRole('region', { name: 'Lines for the configuration file' }).last();
      expect(await lines.textContent()).toBe('policies:\n  standard:\n    overloaded: [stop]\n');

      await page.getByRole('button', { name: 'Try it on the last 24 hours' }).click();
      const row = answers(page).getByRole('row').filter({ hasText: 'Overloaded' }).first();
      await row.getByText(/successes? would have been lost/).waitFor();
      await row.getByRole('cell', { name: 'stop', exact: true }).waitFor();
      // Nothing but the draft's own question went to the gateway: what is in force is as it was.
      const { data } = (await gateway.admin('GET', '/policies')) as {
        data: { name: string; cells: { row: string; steps: string[] }[] }[];
      };
      const [standard] = data.filter(({ name }) => name === 'standard');
      expect(standard?.cells.find((one) => one.row === 'overloaded')?.steps).toEqual([
        'retry',
        'next_channel',
        'next_model',
      ]);

      const example = row.getByRole('link').first();
      const id = (await example.getAttribute('title')) ?? '';
      const record = await gateway.logged(id);
      expect((record['attempts'] as { class: string }[])[0]?.class).toBe('overloaded');
      await example.click();
      await page.waitForURL(new RegExp(`/console/requests/${id}`));
      await page.goBack();
      await page.getByText('Draft: 1 cell changed. Nothing is in force yet.').waitFor();
      await page.getByRole('button', { name: 'Discard the draft' }).click();
      await cell(page, 'standard', 'Overloaded').getByText('changed in the file').waitFor();
    },
    GUARD_MS,
  );

  it(
    'D-12: everything is judged under another policy; steps that could never be reached are not taken',
    async () => {
      const { page } = await open('/policies');
      await page.getByRole('button', { name: /If it had been/ }).click();
      await page.getByRole('option', { name: 'everything under permissive' }).click();
      await answers(page).getByRole('button', { name: 'Try it on them', exact: true }).click();
      await answers(page).getByRole('heading', { name: 'Everything under permissive' }).waitFor();
      await answers(page).getByText('Requests with a failed call').waitFor();

      await cell(page, 'strict', 'Credential refused').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('The provider does not accept').waitFor();
      await dialog.getByRole('button', { name: /Add a step/ }).click();
      await page.getByRole('option', { name: 'next channel' }).first().click();
      await dialog.getByText('Nothing after “stop” is ever reached').waitFor();
      expect(await dialog.getByRole('button', { name: 'Put into the draft' }).isDisabled()).toBe(true);
      await dialog.getByRole('button', { name: 'Use the steps of built-in standard' }).click();
      await dialog.getByRole('button', { name: 'Put into the draft' }).click();
      await cell(page, 'strict', 'Credential refused').getByText('draft', { exact: true }).waitFor();
    },
    GUARD_MS,
  );

  it(
    'G-8: a workspace admin judges what its own workspace did',
    async () => {
      const token = gateway.seeded.members['grace'] ?? '';
      const { page } = await open('/policies', { token });
      await answers(page).getByRole('button', { name: 'Try it on them', exact: true }).click();
      await answers(page).getByText('Workspace acme alone').waitFor();
      const ofGlobex = gateway.seeded.requests['failed'] ?? '';
      expect(await page.getByRole('link', { name: new RegExp(ofGlobex) }).count()).toBe(0);
    },
    GUARD_MS,
  );

  it(
    'nothing serious for axe, and it fits: wide and narrow, light and dark, with a draft, an answer and a cell open',
    async () => {
      for (const [size, theme] of [
        [WIDE, 'dark'],
        [NARROW, 'light'],
      ] as const) {
        const { page, close } = await open('/policies', { size, theme });
        await stopAt(page, 'standard', 'Overloaded');
        await page.getByRole('button', { name: 'Try it on the last 24 hours' }).click();
        await answers(page)
          .getByText(/would have been lost/)
          .first()
          .waitFor();
        await expectFits(page);
        await expectAccessible(page);
        await cell(page, 'standard', 'Rate limit').click();
        await page.getByRole('dialog').waitFor();
        await expectFits(page);
        await expectAccessible(page);
        await close();
      }
    },
    GUARD_MS,
  );
});
