/** The health board, as an operator uses it (H-3). */
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
import { type ConsoleGateway, startConsoleGateway } from '../support/console/console-gateway.ts';
import { HOSTILE_MODEL, startTroubledGateway, type TroubledGateway } from '../support/console/trouble.ts';

/** Wide: two cores are shared, and each page is a whole application. */
const GUARD_MS = 90_000;
const without = whyNoBrowser();

interface Target {
  readonly id: string;
  readonly model: string;
  readonly channel: string;
  readonly credential: string | null;
  readonly state: string;
  readonly calls: number;
}

const board = (page: Page) => page.getByRole('table', { name: 'Targets' });

describe.skipIf(without !== null)(`targets${without === null ? '' : ` (${without})`}`, () => {
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

  const open = (path = '/targets', more: object = {}): Promise<ConsolePage> =>
    browser.open({ url: gateway.url, path, token: gateway.adminToken, ...more });
  const targets = async (model: string): Promise<Target[]> => {
    const { data } = (await gateway.admin('GET', '/health/targets')) as unknown as { data: Target[] };
    return data.filter((target) => target.model === model);
  };
  const rowOf = (page: Page, model: string) =>
    board(page)
      .getByRole('row')
      .filter({ has: page.getByRole('button', { name: new RegExp(`: ${model}, `) }) });

  it(
    'H-3: what is wrong stands first, with why, since when, until when and how it is tried again',
    async () => {
      const { page } = await open();
      await board(page).waitFor();
      const [first] = await board(page).getByRole('rowheader').allTextContents();
      expect(first).toMatch(/^orca-large.*None is healthy/);
      const row = rowOf(page, 'orca-large');
      await row.getByText('Circuit open').waitFor();
      await row.getByText('Overloaded: it failed too often.').waitFor();
      await row.getByText('The engine is currently overloaded').waitFor();
      await row.getByText(/ ago$|^just now$/).waitFor();
      const wait = row.getByText(/^tried in \d+ min( \d+ s)?$/);
      const before = await wait.textContent();
      await expect.poll(() => wait.textContent(), { message: 'it counts down' }).not.toBe(before);
      const resting = rowOf(page, 'orca-mini');
      await resting.getByText('Cooling down').or(resting.getByText('OK')).first().waitFor();
    },
    GUARD_MS,
  );

  it(
    'H-3: a drain is asked about, says what is left, holds at the gateway, and is taken back',
    async () => {
      const { page } = await open('/targets?text=tern-slow%20north-main');
      const row = rowOf(page, 'tern-slow');
      await row.getByRole('button', { name: /^Drain/ }).click();
      const dialog = page.getByRole('alertdialog', { name: 'Drain tern-slow, north, north-main?' });
      await dialog.getByText('2 other targets of tern-slow are healthy and go on.').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      const state = async () =>
        (await targets('tern-slow')).find(({ credential }) => credential === 'north-main')?.state;
      expect(await state(), 'a question that is left does nothing').toBe('ok');

      await row.getByRole('button', { name: /^Drain/ }).press('Enter');
      await dialog.getByRole('button', { name: 'Drain', exact: true }).press('Enter');
      await row.getByText('Drained', { exact: true }).waitFor();
      expect(await state()).toBe('drained');
      await page.getByRole('log').getByRole('button', { name: 'Undo' }).click();
      await row.getByText('OK', { exact: true }).waitFor();
      expect(await state()).toBe('ok');
      await page.getByText('Takes part again: tern-slow, north, north-main').waitFor();
    },
    GUARD_MS,
  );

  it(
    'H-3: whoever drains the last one is told so, and lets it back by its row',
    async () => {
      const { page } = await open('/targets?text=orca-mini');
      const row = rowOf(page, 'orca-mini');
      await row.getByRole('button', { name: /^Drain/ }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByText(/^No other target of orca-mini is healthy/).waitFor();
      await dialog.getByRole('button', { name: 'Drain', exact: true }).click();
      await row.getByRole('button', { name: /^Let back/ }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Let back' }).click();
      await row.getByRole('button', { name: /^Drain/ }).waitFor();
      expect((await targets('orca-mini')).map(({ state }) => state)).not.toContain('drained');
    },
    GUARD_MS,
  );

  it(
    'H-3: a reset names whom else it concerns, and closes the circuit',
    async () => {
      const { page } = await open('/targets?text=orca-large');
      const row = rowOf(page, 'orca-large');
      await row.getByRole('button', { name: /^Reset/ }).click();
      const dialog = page.getByRole('alertdialog', { name: 'Reset orca-large, south, south-main?' });
      await dialog
        .getByText(
          /^Also for \d+ other targets that share its credential or its channel: .*nova-large, south, south-main/,
        )
        .waitFor();
      await dialog.getByText(/cannot be undone/).waitFor();
      await dialog.getByRole('button', { name: 'Reset', exact: true }).click();
      await row.getByText('OK', { exact: true }).waitFor();
      expect(await targets('orca-large')).toMatchObject([{ state: 'ok', calls: 0 }]);
      await page.getByText('Reset: orca-large, south, south-main').waitFor();
    },
    GUARD_MS,
  );

  it(
    'H-3: filters by state and by text stand in the address',
    async () => {
      const { page } = await open();
      await page.getByRole('button', { name: /^OK \d/ }).click();
      await expect.poll(() => new URL(page.url()).searchParams.get('state')).toBe('ok');
      await page.getByRole('searchbox', { name: 'Find' }).fill('nova south');
      await expect
        .poll(() =>
          board(page)
            .getByRole('row', { name: /south-main/ })
            .count(),
        )
        .toBe(2);
      await page.reload();
      await page.getByRole('button', { name: /^OK \d/, pressed: true }).waitFor();
      await expect
        .poll(() =>
          board(page)
            .getByRole('row', { name: /south-main/ })
            .count(),
        )
        .toBe(2);
      await page.getByRole('searchbox', { name: 'Find' }).fill('no such thing');
      await page.getByText('No target matches').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await rowOf(page, 'orca-large').first().waitFor();
      expect(new URL(page.url()).search).toBe('');
    },
    GUARD_MS,
  );

  it(
    'G-8: a workspace’s admin sees what its requests could use and changes nothing; a member sees nothing',
    async () => {
      const { page } = await open('/targets', { token: gateway.members['grace'] });
      await board(page)
        .getByRole('row', { name: /acme-own/ })
        .first()
        .waitFor();
      await page.getByText('for account admins').waitFor();
      expect(await page.getByRole('button', { name: /^(Drain|Reset|Let back): / }).count()).toBe(0);
      const member = await open('/targets', { token: gateway.members['mia'] });
      await member.page.getByRole('heading', { name: 'This page is not for your role' }).waitFor();
      expect(await board(member.page).count()).toBe(0);
    },
    GUARD_MS,
  );

  it(
    'E-5: a model name and an upstream’s words that are markup stay text, in questions too',
    async () => {
      const { page } = await open('/targets?text=hostile');
      await board(page).getByText(HOSTILE_MODEL).waitFor();
      await board(page)
        .getByRole('button', { name: /^Drain/ })
        .first()
        .click();
      await page.getByRole('alertdialog').getByText(HOSTILE_MODEL).first().waitFor();
      await page.keyboard.press('Escape');
      expect(await page.locator('img[src="x"]').count()).toBe(0);
      expect(await page.evaluate(() => 'understudyWasHacked' in globalThis)).toBe(false);
    },
    GUARD_MS,
  );

  it(
    'fits and is accessible in both themes and widths, and speaks Chinese',
    async () => {
      for (const theme of ['light', 'dark'] as const) {
        for (const size of [WIDE, NARROW]) {
          const { page, close } = await open('/targets', { theme, size });
          await board(page).waitFor();
          await expectFits(page);
          await expectAccessible(page);
          await close();
        }
      }
      const { page } = await open('/targets', { language: 'zh' });
      await page.getByRole('button', { name: /^有问题/ }).waitFor();
      await expectFits(page);
    },
    GUARD_MS,
  );
});

describe.skipIf(without !== null)('a board of thousands', () => {
  const MODELS = 1500;
  let gateway: ConsoleGateway;
  let browser: TestBrowser;
  beforeAll(async () => {
    const models = Object.fromEntries(
      Array.from({ length: MODELS }, (_, n) => [
        `many-${n}`,
        { channels: [{ id: 'north', provider: 'north', model: 'ok' }] },
      ]),
    );
    gateway = await startConsoleGateway({ config: { models, aliases: {} }, seeded: false });
    browser = await TestBrowser.start();
  }, 240_000);
  afterEach(() => browser.settle());
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  it(
    'H-3: all are counted, found at once, and shown a portion at a time',
    async () => {
      const { page } = await browser.open({ url: gateway.url, path: '/targets', token: gateway.adminToken });
      const table = page.getByRole('table', { name: 'Targets' });
      await page.getByRole('button', { name: /^All 3,000$/ }).waitFor();
      const rows = () => table.getByRole('row').count();
      const before = await rows();
      expect(before).toBeLessThan(500);
      await page.getByRole('button', { name: '2,800 more targets' }).click();
      await expect.poll(rows).toBeGreaterThan(before);
      await page.getByRole('searchbox', { name: 'Find' }).fill('many-1499');
      await table.getByText('many-1499').waitFor();
      await expect.poll(rows, { message: 'head, model, two targets' }).toBe(4);
    },
    GUARD_MS,
  );
});
