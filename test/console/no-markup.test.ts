/** What the browser refuses on the console's pages, whatever should ever go wrong in them (G-9). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestBrowser, whyNoBrowser } from '../support/console/browser.ts';
import { type ConsoleGateway, startConsoleGateway } from '../support/console/console-gateway.ts';

const without = whyNoBrowser();

/** Runs in the page: which of the ways that harm could take are open. */
const TRY_ALL = `(async () => {
  const open = [];
  const tried = (name, harm) => { try { harm(); open.push(name); } catch { /* refused */ } };
  const element = document.body.appendChild(document.createElement('div'));
  tried('empty text', () => { element.innerHTML = ''; });
  tried('markup', () => { element.innerHTML = '<img src=x>'; });
  tried('policy', () => { trustedTypes.createPolicy('mine', { createHTML: (text) => text }); });
  const script = document.createElement('script');
  tried('text of a script', () => { script.textContent = 'window.injected = true'; document.body.append(script); });
  tried('handler', () => { element.setAttribute('onclick', 'window.clicked = true'); });
  element.click();
  element.setAttribute('style', 'position: fixed');
  for (const name of ['injected', 'clicked']) if (window[name]) open.push(name);
  if (getComputedStyle(element).position === 'fixed') open.push('style attribute');
  await fetch('http://127.0.0.2:9/').then(() => open.push('fetch elsewhere'), () => undefined);
  return open;
})()`;

describe.skipIf(without !== null)(`the console's policy${without === null ? '' : ` (${without})`}`, () => {
  let gateway: ConsoleGateway;
  let browser: TestBrowser;
  beforeAll(async () => {
    gateway = await startConsoleGateway();
    browser = await TestBrowser.start();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  it('G-9: nothing runs but our own, nothing is asked but this gateway, no text becomes markup', async () => {
    // All that the page complains of belongs to the test.
    const { page, close } = await browser.open({ url: gateway.url, token: gateway.adminToken, expected: [/./] });
    await page.evaluate(
      `window.refused = new Set(); addEventListener('securitypolicyviolation', (event) => window.refused.add(event.effectiveDirective))`,
    );
    expect(await page.evaluate(TRY_ALL)).toEqual(['empty text']);
    const refused = ['connect-src', 'require-trusted-types-for', 'style-src-attr', 'trusted-types'];
    await expect.poll(() => page.evaluate('[...window.refused].sort()')).toEqual(refused);
    await close();
  });
});
