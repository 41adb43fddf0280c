/** One request, as an operator reads it (O-5). */
import type { Page } from 'playwright-core';
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
import { type HostileUpstream, MARKED_ID, MARKUP, startHostileUpstream } from '../support/console/hostile-upstream.ts';

/** Wide: two cores are shared, and each page is a whole application. */
const GUARD_MS = 180_000;
const STEP_MS = 60_000;
const without = whyNoBrowser();

/** Priced: its callers pay in advance. */
const MODEL = { price: { input: 1, output: 1 }, channels: [{ id: 'evil', provider: 'evil', model: 'e' }] };

interface Told {
  readonly attempts: readonly { readonly reason: string; readonly id: string }[];
  readonly candidates: readonly unknown[];
}

describe.skipIf(without !== null)(`one request${without === null ? '' : ` (${without})`}`, () => {
  let gateway: ConsoleGateway;
  let browser: TestBrowser;
  let hostile: HostileUpstream;
  beforeAll(async () => {
    hostile = await startHostileUpstream();
    const config = consoleConfig();
    gateway = await startConsoleGateway({
      config: {
        providers: { ...(config['providers'] as object), evil: { type: 'openai', base_url: hostile.url } },
        credentials: { ...(config['credentials'] as object), 'evil-main': { provider: 'evil', secret: 'evil-secret' } },
        models: { ...(config['models'] as object), evil: MODEL },
      },
    });
    browser = await TestBrowser.start();
  }, 600_000);
  afterEach(() => browser.settle());
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
    await hostile?.close();
  });

  const open = async (id: string, more: Partial<OpenOptions> = {}): Promise<ConsolePage> => {
    const path = `/requests/${id}`;
    const opened = await browser.open({ url: gateway.url, path, token: gateway.adminToken, ...more });
    opened.page.setDefaultTimeout(STEP_MS);
    return opened;
  };
  const request = (name: string): string => gateway.seeded.requests[name] ?? '';
  const key = (name: string): string => gateway.seeded.keys[name] ?? '';
  const what = (page: Page) => page.getByRole('region', { name: 'What happened' });

  it(
    'O-5: a failover is told in plain words, then attempt by attempt in the order and with the reasons of the record',
    async () => {
      const id = request('failover');
      const told = (await gateway.logged(id)) as unknown as Told;
      const { page } = await open(id);
      await what(page).getByText('orca-mini → answered by nova-large').waitFor();
      expect(await what(page).textContent()).toMatch(
        /Asked for orca-mini\. orca-mini failed: 429 rate limited after .+\. nova-large answered in .+; the answer is whole\./,
      );
      await what(page).getByText('south-main runs into its limits').waitFor();

      const attempts = page.getByRole('region', { name: 'Attempts' });
      const each = await attempts.getByRole('listitem').filter({ hasText: '→' }).allInnerTexts();
      expect(each.length).toBe(told.attempts.length);
      for (const [index, { reason }] of told.attempts.entries()) expect(each[index]).toContain(reason);
      expect(each[0]).toContain('Next model of the chain');
      expect(each[1]).toContain('Served to the client');
      // One axis: the second bar begins after the first one has ended.
      const bars = attempts.getByRole('img');
      const [first, second] = [await bars.nth(0).boundingBox(), await bars.nth(1).boundingBox()];
      expect(first?.x).toBe(second?.x);
      expect(first?.width).toBe(second?.width);

      const candidates = page.getByRole('region', { name: 'Candidates' });
      await candidates.getByText('Ranked, not necessarily called.').waitFor();
      expect(await candidates.getByRole('listitem').count()).toBe(told.candidates.length);
      for (const stage of ['Receive', 'Plan', 'Admit', 'Upstream', 'Deliver']) {
        await page.getByRole('region', { name: 'Where the time went' }).getByText(stage).waitFor();
      }
      await page.getByRole('region', { name: 'Degraded' }).getByText('another model answered').waitFor();
    },
    GUARD_MS,
  );

  it(
    'O-5: ids are a click away from the clipboard, the record is there as JSON, and the dry run has its question',
    async () => {
      const id = request('failover');
      const { page } = await open(id);
      await page.getByRole('button', { name: 'Copy: Request id' }).click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id);
      await page.getByText('Raw record (JSON)').click();
      await page.getByRole('button', { name: 'Copy: Raw record (JSON)' }).click();
      const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as { id: string };
      expect(copied.id).toBe(id);
      const replay = new URL(
        (await page.getByRole('link', { name: 'Replay it in the dry run' }).getAttribute('href')) ?? '',
        gateway.url,
      );
      expect(replay.pathname).toBe('/console/routing');
      expect(replay.search).toBe('?key=shop&model=orca-mini&fallback=nova-large&policy=standard');
      // The page it leads to understands the question.
      await page.getByRole('link', { name: 'Replay it in the dry run' }).click();
      const preview = page.getByRole('region', { name: 'This request would go here' });
      await preview.getByText('nova-large', { exact: true }).first().waitFor();
    },
    GUARD_MS,
  );

  it(
    'O-5: an answer that broke off, one that nobody gave, and one that was refused are told as such',
    async () => {
      const { page, go } = await open(request('cut'));
      await what(page).getByText('The client got a part of the answer').waitFor();
      await page.getByText('Broke off: server error').waitFor();
      // One call needs no list of attempts.
      expect(await page.getByRole('region', { name: 'Attempts' }).count()).toBe(0);
      await page.getByRole('region', { name: 'The call' }).waitFor();
      await go(`/requests/${request('failed')}`);
      await what(page)
        .getByText(/Nobody answered: the client got 50\d /)
        .waitFor();
      await what(page).getByText('See whether orca-large · south is still failing').waitFor();
      await go(`/requests/${request('refused')}`);
      await what(page).getByText('The gateway refused it: the client got 404 model_not_found.').waitFor();
      await page.getByText('No upstream was called.').waitFor();
    },
    GUARD_MS,
  );

  it(
    'P-4: a model that rests is said to rest, and a virtual model what it stands for',
    async () => {
      await gateway.ask(key('shop'), { models: ['orca-mini', 'nova-large'] });
      const rested = await gateway.ask(key('shop'), { models: ['orca-mini', 'nova-large'] });
      await gateway.logged(rested);
      const { page, go } = await open(rested);
      await what(page)
        .getByText(/orca-mini was not called: resting after a rate limit \(until /)
        .waitFor();
      await page
        .getByRole('region', { name: 'Candidates' })
        .getByText('Left out: resting after a rate limit')
        .waitFor();
      await go(`/requests/${request('degraded')}`);
      await what(page).getByText('Asked for assistant, which stands for nova-flash.').waitFor();
    },
    GUARD_MS,
  );

  it(
    'I-4: an answer that was given again names the request that made it; X-4: a rehearsal is called one',
    async () => {
      const headers = { 'idempotency-key': 'order-4711' };
      const again = await gateway.ask(key('shop'), { model: 'nova-large' }, headers);
      const rehearsed = await gateway.ask(
        key('shop'),
        { models: ['nova-large', 'nova-flash'] },
        { 'x-understudy-rehearse': 'status=503;times=1' },
      );
      await gateway.logged(again);
      await gateway.logged(rehearsed);
      const { page, go } = await open(again);
      await what(page).getByText('which was given again; nobody was called.').waitFor();
      const block = page.getByRole('region', { name: 'Idempotency' });
      await block.getByText('was given the stored answer').waitFor();
      await block.getByRole('link', { name: request('keyed') }).click();
      await page.getByRole('region', { name: 'Idempotency' }).getByText('ran under this key itself').waitFor();
      expect(page.url()).toContain(request('keyed'));
      await page.getByRole('link', { name: 'All requests of this key' }).click();
      await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
      await go(`/requests/${rehearsed}`);
      await what(page).getByText('on purpose, as a rehearsal').waitFor();
      await page.getByText('Rehearsed', { exact: true }).first().waitFor();
    },
    GUARD_MS,
  );

  it(
    'G-9, E-5: what an upstream says is text, its request id can be copied',
    async () => {
      const id = await gateway.ask(key('shop'), { models: ['evil', 'nova-large'] }, { 'x-request-id': 'shop-77' });
      await gateway.logged(id);
      const { page } = await open(id);
      const attempts = page.getByRole('region', { name: 'Attempts' });
      await attempts.getByText(`sorry ${MARKUP}`, { exact: false }).first().waitFor();
      await attempts.getByRole('button', { name: 'Copy: Provider’s request id' }).first().click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(MARKED_ID);
      await page.getByText('shop-77').first().waitFor();
      expect(await page.locator('main img').count()).toBe(0);
      expect(await page.evaluate(() => 'understudyWasHacked' in globalThis)).toBe(false);
    },
    GUARD_MS,
  );

  it(
    "G-8: a request of another workspace is not there for a workspace's admin",
    async () => {
      const token = gateway.seeded.members['grace'] ?? '';
      const { page, go } = await open(request('other'), { token, expected: [/status of 404/] });
      await page.getByText('No such request').waitFor();
      await go(`/requests/${request('failover')}`);
      await what(page).getByText('orca-mini → answered by nova-large').waitFor();
    },
    GUARD_MS,
  );

  it.each(['light', 'dark'] as const)(
    'accessible in %s, and as wide as a desk or a telephone, in Chinese as well',
    async (theme) => {
      const { page } = await open(request('failover'), { theme });
      await what(page).waitFor();
      await expectAccessible(page);
      await expectFits(page);
      await page.setViewportSize(NARROW);
      await expectFits(page);
      const chinese = await open(request('failover'), { theme, language: 'zh', size: NARROW });
      await chinese.page.getByText(/orca-mini 失败：429 被限流/).waitFor();
      await expectFits(chinese.page);
      await expectAccessible(chinese.page);
    },
    GUARD_MS,
  );
});
