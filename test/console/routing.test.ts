/** Models and routing, as an operator changes and an accountable person checks them (O-5, X-4). */
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
import { MARKUP } from '../support/console/hostile-upstream.ts';

/** Wide: two cores are shared, and each page is a whole application. */
const GUARD_MS = 180_000;
/** For one step, on a machine that does much else. */
const STEP_MS = 40_000;
/** Markup as a name may be written: without spaces. */
const TAG = '<img/src=x/onerror=window.understudyWasHacked=3>';
const without = whyNoBrowser();

describe.skipIf(without !== null)(`models and routing${without === null ? '' : ` (${without})`}`, () => {
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
  const workspace = (name: string) => gateway.admin('GET', `/workspaces/${name}`);
  const virtual = async (workspaceName: string, name: string): Promise<unknown> =>
    ((await workspace(workspaceName))['virtual_models'] as Record<string, { models: string[] }>)[name]?.models;
  const first = (page: Page): Locator => page.getByRole('region', { name: 'Called first' });
  const preview = (page: Page): Locator => page.getByRole('region', { name: 'This request would go here' });
  const model = (page: Page, name: string): Locator =>
    page.getByRole('region', { name: 'Models and channels' }).locator('summary').filter({ hasText: name });
  const bar = (page: Page): Locator => page.getByRole('region', { name: 'Save' });

  it(
    'X-4: another order is previewed before it is saved, compared after it, and taken back',
    async () => {
      const { page } = await open('/routing?workspace=acme&key=shop&model=assistant');
      await first(page).getByText('nova-flash', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Move nova-large up' }).click();
      await preview(page).getByText('With your unsaved changes').waitFor();
      await first(page).getByText('nova-large', { exact: true }).waitFor();
      await first(page).getByText('Now: nova-flash · north').waitFor();
      expect(await virtual('acme', 'assistant')).toEqual(['nova-flash', 'nova-large']);

      await bar(page).getByRole('button', { name: 'Save' }).click();
      await bar(page).getByText('Saved. The preview shows what it changed.').waitFor();
      expect(await virtual('acme', 'assistant')).toEqual(['nova-large', 'nova-flash']);
      await first(page).getByText('Before: nova-flash · north').waitFor();
      const order = preview(page).getByRole('list', { name: 'Targets in order' });
      await order.getByRole('listitem').first().getByText('was 5').waitFor();

      await bar(page).getByRole('button', { name: 'Undo' }).click();
      await first(page).getByText('Before: nova-large · north').waitFor();
      expect(await virtual('acme', 'assistant')).toEqual(['nova-flash', 'nova-large']);
    },
    GUARD_MS,
  );

  it(
    'O-5: models are moved by keyboard alone, and by dragging',
    async () => {
      const { page } = await open('/routing?workspace=acme&key=shop&model=assistant');
      const list = page.getByRole('grid', { name: 'Models of assistant, in order' });
      const names = async () =>
        (await list.getByRole('row').allInnerTexts()).map((text) => text.match(/nova-\w+/)?.[0] ?? text);
      const handle = (name: string) => list.getByRole('row').filter({ hasText: name }).getByRole('button').first();
      await handle('nova-flash').focus();
      await page.keyboard.press('Enter');
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
      await expect.poll(focused, { timeout: STEP_MS }).toMatch(/^Insert/);
      for (let n = 0; n < 3 && !(await focused()).startsWith('Insert after nova-large'); n += 1) {
        await page.keyboard.press('ArrowDown');
      }
      expect(await focused()).toBe('Insert after nova-large');
      await page.keyboard.press('Enter');
      await expect.poll(names, { timeout: STEP_MS }).toEqual(['nova-large', 'nova-flash']);
      await bar(page).getByText('Unsaved changes: virtual models').waitFor();
      await list.scrollIntoViewIfNeeded();
      const [from, to] = [await handle('nova-flash').boundingBox(), await list.getByRole('row').nth(0).boundingBox()];
      await page.mouse.move(from!.x + 8, from!.y + 8);
      await page.mouse.down();
      await page.mouse.move(to!.x + 40, to!.y + 20, { steps: 5 });
      await page.mouse.move(to!.x + 40, to!.y + 3, { steps: 5 });
      await page.mouse.up();
      await expect.poll(names, { timeout: STEP_MS }).toEqual(['nova-flash', 'nova-large']);
    },
    GUARD_MS,
  );

  it(
    'P-3: what cannot be previewed before it is saved is said to be so, and the reason for who is left out comes after',
    async () => {
      const { page } = await open('/routing?workspace=acme&key=shop&model=nova-large');
      await first(page).waitFor();
      await model(page, 'nova-large').click();
      const channels = page.getByRole('list', { name: 'Channels of nova-large' });
      await channels.getByRole('listitem').first().locator('label').filter({ hasText: 'Own keys only' }).click();
      await page.getByRole('switch', { name: 'Own keys only north', checked: true }).waitFor({ state: 'attached' });
      await preview(page).getByText('once they are saved').waitFor();
      await bar(page).getByRole('button', { name: 'Save' }).click();
      await preview(page).getByText('only own credentials may be used for this model').first().waitFor();
      expect((await workspace('acme'))['routing']).toEqual({
        channels: { 'nova-large': { north: { byok_only: true } } },
      });
      await bar(page).getByRole('button', { name: 'Undo' }).click();
      await preview(page).getByText('Nothing is left out.').waitFor();
      expect((await workspace('acme'))['routing'] ?? {}).toEqual({});
    },
    GUARD_MS,
  );

  it(
    'G-8: two people at once: what the other changed is taken over, and nothing is lost on either side',
    async () => {
      const { page } = await open('/routing?workspace=globex&key=batch&model=nova-large', {
        expected: [/status of 409/],
      });
      await first(page).waitFor();
      await page.getByRole('combobox', { name: 'Add a model to understudy/auto' }).fill('nova-flash');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await gateway.admin('PATCH', '/workspaces/globex', { virtual_models: { theirs: { models: ['orca-mini'] } } });
      await bar(page).getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('Somebody else has changed this workspace').waitFor();
      expect((await workspace('globex'))['auto']).toBeUndefined();
      await page.getByRole('button', { name: 'Load theirs, keep my changes' }).click();
      await page.getByRole('heading', { name: 'theirs' }).waitFor();
      await bar(page).getByRole('button', { name: 'Save' }).click();
      await bar(page).getByText('Saved.').waitFor();
      expect((await workspace('globex'))['auto']).toEqual(['nova-flash']);
      expect(await virtual('globex', 'theirs')).toEqual(['orca-mini']);
    },
    GUARD_MS,
  );

  it(
    'G-8: a workspace of the file is not saved from here; its lines are there to copy',
    async () => {
      const { page } = await open('/routing?workspace=research');
      const notice = page.getByRole('region', { name: 'Belongs to the configuration file' });
      await notice.waitFor();
      await page.getByRole('button', { name: 'Add a virtual model' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('fast one');
      await dialog.getByText('A name has no spaces').waitFor();
      await dialog.getByLabel('Name', { exact: true }).fill('fast:one');
      await dialog.getByRole('combobox', { name: 'First model' }).fill('nova-flash');
      await page.keyboard.press('Escape');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await expect
        .poll(() => notice.getByRole('region', { name: 'Lines for the configuration file' }).textContent())
        .toBe('workspaces:\n  research:\n    virtual_models:\n      "fast:one":\n        models: [nova-flash]\n');
      expect(await bar(page).count()).toBe(0);
    },
    GUARD_MS,
  );

  it(
    'P-1: the workspace’s own credentials are put in another order, and back',
    async () => {
      await gateway.admin('POST', '/credentials', {
        name: 'acme-second',
        provider: 'north',
        workspace: 'acme',
        kind: 'byok',
        secret: 'acme-second-secret',
        order: 5,
      });
      const orders = async () => {
        const { data } = (await gateway.admin('GET', '/credentials?workspace=acme')) as {
          data: { name: string; order: number; kind: string }[];
        };
        return data
          .filter(({ kind }) => kind === 'byok')
          .sort((a, b) => a.order - b.order)
          .map(({ name }) => name);
      };
      const { page } = await open('/routing?workspace=acme&key=shop&model=nova-large');
      await first(page).getByText('acme-own').waitFor();
      await page.getByRole('button', { name: 'Move acme-second up' }).click();
      await page.getByRole('button', { name: 'Save this order' }).click();
      await first(page).getByText('acme-second').waitFor();
      expect(await orders()).toEqual(['acme-second', 'acme-own']);
      const own = page.getByRole('region', { name: 'Own credentials, in order' });
      await own.getByRole('button', { name: 'Undo' }).click();
      await first(page).getByText('acme-own').waitFor();
      expect(await orders()).toEqual(['acme-own', 'acme-second']);
    },
    GUARD_MS,
  );

  it(
    'X-4: an address of a request’s page asks for its key and model, in the workspace of the key',
    async () => {
      const { page } = await open('/routing?workspace=acme&key=batch&model=orca-large&fallback=nova-large&stream=1');
      await first(page).getByText('orca-large', { exact: true }).waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get('workspace')).toBe('globex');
      await page.getByText('And if every call fails?').click();
      await preview(page).getByText('The client then gets 502 all_models_failed.').waitFor();
      await page.getByText('What it resolves to').click();
      await preview(page).getByText('orca-large → nova-large').waitFor();
    },
    GUARD_MS,
  );

  it(
    'P-7: who stands in is said first, and who is left out with the reason',
    async () => {
      const { data } = (await gateway.admin('GET', '/health/targets?limit=500')) as {
        data: { id: string; model: string }[];
      };
      const targets = data.filter((target) => target.model === 'orca-mini');
      const each = async (act: string) => {
        for (const { id } of targets) await gateway.admin('POST', `/health/targets/${encodeURIComponent(id)}/${act}`);
      };
      await each('drain');
      try {
        const { page } = await open('/routing?workspace=acme&key=shop&model=orca-mini&fallback=nova-large');
        await first(page).getByText('Stands in for orca-mini').waitFor();
        await preview(page).getByText('drained by an operator').waitFor();
      } finally {
        await each('undrain');
      }
    },
    GUARD_MS,
  );

  it(
    'G-8: a workspace admin sees its own workspace, not the operator’s credentials, and leaves the default model alone',
    async () => {
      const token = gateway.seeded.members['grace'] ?? '';
      const { page } = await open('/routing?workspace=globex', { token });
      await first(page).waitFor();
      await page.getByRole('heading', { name: 'assistant' }).waitFor();
      expect(await page.getByRole('combobox', { name: 'Default model' }).isDisabled()).toBe(true);
      await page.getByText('Only an account admin may change the default model.').waitFor();
      expect(await page.getByRole('heading', { name: 'The operator’s credentials, in order' }).count()).toBe(0);
      expect(await page.getByText('globex').count()).toBe(0);
    },
    GUARD_MS,
  );

  it(
    'E-5: names and errors that are markup are text; nothing serious for axe; it fits, wide and narrow, light and dark',
    async () => {
      await gateway.admin('PATCH', '/workspaces/acme', {
        virtual_models: { assistant: { models: ['nova-flash', 'nova-large'] }, [TAG]: { models: ['nova-large'] } },
      });
      const asked = `/routing?workspace=acme&key=shop&model=${encodeURIComponent(`no ${MARKUP}`)}`;
      for (const [size, theme] of [
        [WIDE, 'light'],
        [NARROW, 'dark'],
      ] as const) {
        const { page, close } = await open(asked, { size, theme, expected: [/status of 40[04]/] });
        await page.getByRole('heading', { name: TAG }).waitFor();
        await preview(page).getByRole('alert').getByText(MARKUP, { exact: false }).waitFor();
        await model(page, 'nova-large').click();
        await page.getByRole('switch', { name: 'Prefer north' }).waitFor({ state: 'attached' });
        await expectFits(page);
        await expectAccessible(page);
        expect(await page.evaluate(() => 'understudyWasHacked' in globalThis)).toBe(false);
        await close();
      }
    },
    GUARD_MS,
  );
});
