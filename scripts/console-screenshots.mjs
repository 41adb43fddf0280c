// Makes the pictures of docs/console/ from a gateway with some traffic: every page, light and dark, some as narrow as a telephone.
// Usage: node scripts/console-screenshots.mjs [NAME …]
import path from 'node:path';
import process from 'node:process';
import { createServer } from 'vite';
import { root } from './setup.mjs';

/**
 * One row a page. `ready`: a text or role that is there once the page has its data; `before`: what a person would do first.
 * `narrow`: also at the width of a telephone.
 */
const PAGES = [
  { name: 'sign-in', path: '/', signedOut: true },
  { name: 'overview', path: '/', narrow: true },
  { name: 'requests', path: '/requests', narrow: true },
  { name: 'request', path: (seeded) => `/requests/${seeded.requests.failover}`, narrow: true, whole: true },
  { name: 'targets', path: '/targets', narrow: true },
  {
    name: 'routing',
    path: '/routing?workspace=acme&key=shop&model=assistant',
    narrow: true,
    before: async (page) => {
      await page.getByRole('button', { name: 'Move nova-large up' }).click();
      await page.getByText('Now: nova-flash · north').waitFor();
      await page.evaluate(() => scrollTo(0, 0));
    },
  },
  {
    name: 'policies',
    path: '/policies',
    narrow: true,
    before: async (page) => {
      await page.getByRole('button', { name: 'standard, Overloaded:' }).click();
      for (const step of ['next channel', 'next model', 'repeat']) {
        await page.getByRole('button', { name: `Remove the step: ${step}` }).click();
      }
      await page.getByRole('button', { name: /Add a step/ }).click();
      await page.getByRole('option', { name: 'stop' }).click();
      await page.getByRole('button', { name: 'Put into the draft' }).click();
      await page.getByRole('button', { name: 'Try it on the last 24 hours' }).click();
      await page.getByText('would have been lost').first().waitFor();
    },
  },
  { name: 'credentials', path: '/credentials' },
  { name: 'keys', path: '/keys', narrow: true },
  { name: 'key', path: '/keys?show=shop', narrow: true },
  { name: 'workspaces', path: '/workspaces' },
  { name: 'workspace', path: '/workspaces/acme', narrow: true },
  { name: 'members', path: '/members' },
  { name: 'webhooks', path: '/webhooks' },
  { name: 'webhook', path: '/webhooks/ops', narrow: true },
  { name: 'audit', path: '/audit' },
  {
    name: 'playground',
    path: '/playground?model=nova-flash&fallback=nova-large',
    before: async (page) => {
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('link', { name: 'Show the whole request' }).waitFor();
    },
  },
  { name: 'lookup', path: (seeded) => `/lookup?id=${seeded.requests.failover}`, as: 'mia' },
];

/** A page whose data never comes is shown as it is, after this long. */
const SETTLED_WITHIN_MS = 20_000;

/** What the pages of the account show beside the seeded traffic: a webhook whose receiver can't be reached, limits. */
async function furnish(gateway) {
  const events = ['api:model_failover', 'alert.*'];
  await gateway.admin('POST', '/webhooks', { name: 'ops', url: 'https://hooks.example/understudy', events });
  const models = ['sim/fail-503:hook', 'nova-large'];
  const limits = { rpm: 600, rpd: 25, usd_per_month: 40 };
  await gateway.admin('PATCH', '/keys/shop', { limits });
  await gateway.logged(await gateway.ask(gateway.seeded.keys.batch, { models }));
}

/** Data has come, and what is drawn is drawn. */
async function settled(page) {
  await page.waitForLoadState('networkidle', { timeout: SETTLED_WITHIN_MS }).catch(() => {});
  await page.waitForFunction(() => document.querySelector('[data-loading]') === null, null, {
    timeout: SETTLED_WITHIN_MS,
  });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !PAGES.some((page) => page.name === name));
if (unknown.length > 0) throw new Error(`no such page: ${unknown.join(', ')}`);

// Runs the rig of the tests as they are written, without compiling the project.
const vite = await createServer({
  root,
  configFile: false,
  appType: 'custom',
  logLevel: 'error',
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
});
const load = (source) => vite.ssrLoadModule(path.join(root, source));
const { startConsoleGateway } = await load('test/support/console/console-gateway.ts');
const { NARROW, TestBrowser, WIDE, screenshot } = await load('test/support/console/browser.ts');
const gateway = await startConsoleGateway();
const browser = await TestBrowser.start();
try {
  await furnish(gateway);
  for (const row of PAGES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const token = row.as === undefined ? gateway.adminToken : gateway.seeded.members[row.as];
    const address = typeof row.path === 'function' ? row.path(gateway.seeded) : row.path;
    for (const theme of ['light', 'dark']) {
      for (const size of row.narrow ? [WIDE, NARROW] : [WIDE]) {
        const opened = await browser.open({
          url: gateway.url,
          path: address,
          theme,
          size,
          ...(row.signedOut ? { expected: [/status of 401/] } : { token }),
        });
        await settled(opened.page);
        await row.before?.(opened.page, gateway.seeded);
        const file = `${row.name}-${theme}${size === NARROW ? '-narrow' : ''}.png`;
        await screenshot(opened.page, path.join(root, 'docs', 'console', file), row.whole ?? false);
        for (const fault of opened.faults) console.error(`${file}: ${fault}`);
        await opened.close();
        console.log(`docs/console/${file}`);
      }
    }
  }
} finally {
  await browser.close();
  await gateway.close();
  await vite.close();
}
