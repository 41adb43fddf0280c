/** Webhooks, as an operator uses them: made, tried, their deliveries looked at and sent again (G-7). */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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
const without = whyNoBrowser();

interface Message {
  readonly id: string;
  readonly signatures: number;
  readonly type: string;
}

/** Takes messages, and answers as it is told. */
class Receiver {
  readonly messages: Message[] = [];
  answer = { status: 204, body: '' };
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { type } = JSON.parse(Buffer.concat(chunks).toString()) as { type: string };
        const signatures = String(request.headers['webhook-signature']).split(' ').length;
        this.messages.push({ id: String(request.headers['webhook-id']), signatures, type });
        response.writeHead(this.answer.status);
        response.end(this.answer.body);
      });
    });
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

describe.skipIf(without !== null)(`webhooks${without === null ? '' : ` (${without})`}`, () => {
  let gateway: ConsoleGateway;
  let browser: TestBrowser;
  let url: string;
  const receiver = new Receiver();
  beforeAll(async () => {
    gateway = await startConsoleGateway();
    browser = await TestBrowser.start();
    url = await receiver.start();
  }, 400_000);
  afterEach(() => browser.settle());
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
    await receiver.close();
  });

  const open = (path: string, more: Partial<OpenOptions> = {}): Promise<ConsolePage> =>
    browser.open({ url: gateway.url, path, token: gateway.adminToken, ...more });
  const deliveries = (page: Page) => page.getByRole('table', { name: 'Deliveries' });

  it(
    'G-7: made with a secret shown once, tried, its secret renewed and the change-over ended',
    async () => {
      const { page } = await open('/webhooks');
      await page.getByRole('button', { name: 'Add a webhook' }).first().click();
      const form = page.getByRole('dialog', { name: 'Add a webhook' });
      await form.getByLabel('Name', { exact: true }).fill('ops');
      await form.getByLabel('Address').fill(url);
      await form.getByLabel('Events').fill('api:*\nkey.*');
      await form.getByRole('button', { name: 'Add', exact: true }).click();
      const made = page.getByRole('dialog', { name: 'The webhook ops is there' });
      const secret = (await made.locator('code').first().textContent()) ?? '';
      expect(secret).toMatch(/^whsec_/);
      await made.getByRole('button', { name: 'I have kept it' }).click();
      expect(await page.getByText(secret).count()).toBe(0);
      expect(await gateway.admin('GET', '/webhooks/ops')).toMatchObject({ url, events: ['api:*', 'key.*'] });

      await page.getByRole('link', { name: 'ops' }).click();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('Delivered: 204', { exact: false }).waitFor();
      expect(receiver.messages.at(-1)).toMatchObject({ type: 'webhook.test', signatures: 1 });
      receiver.answer = { status: 500, body: `Down ${MARKUP}` };
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('Not delivered: 500', { exact: false }).waitFor();
      await page.getByText(`Down ${MARKUP}`).waitFor();
      receiver.answer = { status: 204, body: '' };

      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'New secret' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'New secret' }).click();
      const renewed = page.getByRole('dialog', { name: 'The new secret of ops' });
      expect(await renewed.locator('code').first().textContent()).not.toBe(secret);
      await renewed.getByRole('button', { name: 'I have kept it' }).click();
      await page.getByText('Two secrets', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('Delivered: 204', { exact: false }).waitFor();
      expect(receiver.messages.at(-1)?.signatures).toBe(2);
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'End the change-over' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'End the change-over' }).click();
      await expect.poll(() => page.getByText('Two secrets', { exact: true }).count()).toBe(0);
    },
    GUARD_MS,
  );

  it(
    'G-7: a delivery that went wrong shows its status and answer as text, and arrives when it is sent again',
    async () => {
      await gateway.admin('POST', '/webhooks', { name: 'failing', url, events: ['api:*'] });
      receiver.answer = { status: 503, body: `Not now ${MARKUP}` };
      const { page } = await open('/webhooks/failing');
      await page.getByText('No messages yet').waitFor();
      // A model that nothing has failed at yet: what rests is passed over, and that is no failover.
      await gateway.ask(gateway.seeded.keys['batch'] ?? '', { models: ['sim/fail-503:hook', 'nova-large'] });
      const row = deliveries(page).getByRole('row').filter({ hasText: 'api:model_failover' });
      await row.getByText('503').waitFor({ timeout: 60_000 });
      await row.getByText('Waiting').waitFor();
      await row.getByRole('button', { name: 'Show this delivery' }).click();
      const drawer = page.getByRole('dialog', { name: 'Delivery' });
      await drawer.getByText(`Not now ${MARKUP}`).waitFor();
      await drawer.getByRole('button', { name: 'Close' }).click();
      expect(await page.evaluate(() => 'understudyWasHacked' in globalThis)).toBe(false);

      receiver.answer = { status: 204, body: '' };
      // The other webhook is told of the same, in its own time: only this one's message is counted.
      const { data } = (await gateway.admin('GET', '/webhooks/failing/deliveries')) as { data: { id: string }[] };
      const tries = (): number => receiver.messages.filter(({ id }) => id === data[0]?.id).length;
      const before = tries();
      await row.getByRole('button', { name: 'Send again' }).click();
      await row.getByText('Delivered').waitFor({ timeout: 60_000 });
      await row.getByText('204').waitFor();
      expect(tries()).toBe(before + 1);
      await page.getByRole('radio', { name: 'Given up' }).click();
      await page.getByText('None in this state').waitFor();
    },
    GUARD_MS,
  );

  it(
    'G-8: a workspace admin’s webhook is its own workspace’s; those of others are not there, nor by address',
    async () => {
      const token = gateway.seeded.members['grace'] ?? '';
      const { page } = await open('/webhooks', { token, expected: [/status of 404/] });
      await page.getByText('No webhooks yet').waitFor();
      await page.getByRole('button', { name: 'Add a webhook' }).first().click();
      const form = page.getByRole('dialog', { name: 'Add a webhook' });
      expect(await form.getByRole('combobox', { name: 'Workspace' }).count()).toBe(0);
      await form.getByLabel('Name', { exact: true }).fill('acme-hook');
      await form.getByLabel('Address').fill(url);
      await form.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('dialog', { name: 'The webhook acme-hook is there' }).waitFor();
      expect(await gateway.admin('GET', '/webhooks/acme-hook')).toMatchObject({ workspace: 'acme' });
      await page.goto(`${gateway.url}/console/webhooks/failing`);
      await page.getByText('There is no webhook failing').waitFor();
    },
    GUARD_MS,
  );

  it(
    'O-5: nothing serious for axe, and it fits: wide and narrow, light and dark',
    async () => {
      for (const [size, theme] of [
        [WIDE, 'light'],
        [NARROW, 'dark'],
      ] as const) {
        const { page, go, close } = await open('/webhooks', { size, theme });
        for (const path of ['/webhooks', '/webhooks/failing']) {
          await go(path);
          await page.getByRole('table').first().waitFor();
          await expectFits(page);
          await expectAccessible(page);
        }
        await close();
      }
    },
    GUARD_MS,
  );
});
