/**
 * A stranger's test: somebody who has only the link that `understudy demo` prints finds out why the last request was answered by
 * another model, by what can be seen on the pages alone.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from '../../src/assemble.ts';
import { TestShell } from '../cli/test-shell.ts';
import { TestBrowser, whyNoBrowser } from '../support/console/browser.ts';
import { buildConsole } from '../support/console/console-gateway.ts';

/** Wide: two cores are shared, and the demonstration is a gateway, a simulator and two requests. */
const GUARD_MS = 180_000;
const without = whyNoBrowser();

describe.skipIf(without !== null)(`the stranger${without === null ? '' : ` (${without})`}`, () => {
  const shell = new TestShell();
  let browser: TestBrowser;
  let over: Promise<number>;
  let link = '';
  beforeAll(async () => {
    await buildConsole();
    browser = await TestBrowser.start();
    shell.gateway = startGateway;
    over = shell.run('demo', '--port', '0');
    let ended = false;
    void over.finally(() => {
      ended = true;
    });
    while (link === '' && !ended) {
      link = /(\S+\/console\/#token=\S+)/.exec(shell.out)?.[1] ?? '';
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(link, shell.err).toContain('/console/#token=');
  }, 600_000);
  afterEach(() => browser.settle());
  afterAll(async () => {
    await shell.signal('SIGINT');
    await over;
    await browser?.close();
  });

  it(
    'finds in the console, without docs, why the last request was answered by another model',
    async () => {
      const url = new URL(link);
      const token = url.hash.slice('#token='.length);
      const { page } = await browser.open({ url: url.origin, token });
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

      // „Requests“ is what one looks for; the last one is on top, and says which model was asked for and which answered.
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Requests' }).click();
      await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
      const last = page.getByRole('table', { name: 'Requests' }).locator('tbody').getByRole('row').first();
      await last.getByText('sim/fail-503 → sim/ok').waitFor();
      await last.getByText('Covered').waitFor();
      await last.click();

      const what = page.getByRole('region', { name: 'What happened' });
      await what.getByText('sim/fail-503 → answered by sim/ok').waitFor();
      const story = await what.textContent();
      expect(story).toMatch(
        /Asked for sim\/fail-503\. sim\/fail-503 failed.*503 overloaded.* sim\/ok answered in .*; the answer is whole\./s,
      );
      const attempts = page.getByRole('region', { name: 'Attempts' });
      await attempts.getByText('Next model of the chain').waitFor();
      await attempts.getByText('Served to the client').waitFor();
    },
    GUARD_MS,
  );

  it(
    'finds the same from what the overview says is covering',
    async () => {
      const url = new URL(link);
      const { page } = await browser.open({ url: url.origin, token: url.hash.slice('#token='.length) });
      const main = page.locator('main');
      await main.getByText('sim/fail-503').first().waitFor();
      expect(await main.textContent()).toContain('sim/ok');
      await main
        .getByRole('link', { name: /^See the last (request|one)/ })
        .first()
        .click();
      const what = page.getByRole('region', { name: 'What happened' });
      await what.getByText('sim/fail-503 → answered by sim/ok').waitFor();
      await what.getByText('the answer is whole').waitFor();
    },
    GUARD_MS,
  );
});
