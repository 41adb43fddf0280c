/** Real Chromium for one test file: a fresh profile per page, and nothing that goes wrong in it stays unseen. */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Where Debian and its kin have it; `UNDERSTUDY_CHROMIUM` names another. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** A page that is not there by then never comes; wide, because two cores are shared. */
const GUARD_MS = 15_000;

export const WIDE = { width: 1280, height: 800 } as const;
export const NARROW = { width: 390, height: 844 } as const;

/** Chromium's path; null = there is none here. */
export function chromiumPath(): string | null {
  const named = process.env['UNDERSTUDY_CHROMIUM'];
  return (named === undefined ? PLACES : [named]).find((place) => existsSync(place)) ?? null;
}

/** Why the tests of this file can't run here; null = they can. In CI they fail instead of being left out. */
export function whyNoBrowser(): string | null {
  if (chromiumPath() !== null || process.env['CI'] !== undefined) return null;
  return 'no Chromium here: apt-get install chromium, or set UNDERSTUDY_CHROMIUM';
}

export interface OpenOptions {
  /** Of the gateway: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Below `/console`, with its query. */
  readonly path?: string;
  /** Signs in by link; without it the sign-in page comes. */
  readonly token?: string;
  readonly size?: { readonly width: number; readonly height: number };
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'zh';
  /** Texts of failed requests and of the browser's console that belong to the test: `status of 401`. */
  readonly expected?: readonly RegExp[];
}

/** A page of the console, and what went wrong in it. */
export interface ConsolePage {
  readonly page: Page;
  /** Console errors, breaches of the content security policy, failed requests, calls to elsewhere. */
  readonly faults: readonly string[];
  /** Goes to another address within the console. */
  go(path: string): Promise<void>;
  close(): Promise<void>;
}

export class TestBrowser {
  readonly #browser: Browser;
  readonly #open = new Set<ConsolePage>();

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<TestBrowser> {
    const executablePath = chromiumPath();
    if (executablePath === null)
      throw new Error('no Chromium here: apt-get install chromium, or set UNDERSTUDY_CHROMIUM');
    return new TestBrowser(await chromium.launch({ executablePath, args: FLAGS, headless: true }));
  }

  /** Opens the console, signed in where a token is given. */
  async open(options: OpenOptions): Promise<ConsolePage> {
    const { url, path = '/', token, size = WIDE, theme = 'light', language = 'en' } = options;
    const context = await this.#browser.newContext({
      viewport: { ...size },
      colorScheme: theme,
      locale: language === 'zh' ? 'zh-CN' : 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
      hasTouch: size.width < 600,
    } satisfies BrowserContextOptions);
    const page = await context.newPage();
    page.setDefaultTimeout(GUARD_MS);
    const faults = watch(page, url, options.expected ?? []);
    await page.goto(`${url}/console${path}${token === undefined ? '' : `#token=${token}`}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    const opened: ConsolePage = {
      page,
      faults,
      go: async (next) => {
        await page.goto(`${url}/console${next}`);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
      },
      close: async () => {
        this.#open.delete(opened);
        await context.close();
      },
    };
    this.#open.add(opened);
    return opened;
  }

  /** For `afterEach`: closes what a test left open, and fails where a page had faults. */
  async settle(): Promise<void> {
    const faults: string[] = [];
    for (const opened of [...this.#open]) {
      faults.push(...opened.faults);
      await opened.close();
    }
    if (faults.length > 0) throw new Error(`in the browser:\n${faults.join('\n')}`);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

function watch(page: Page, url: string, expected: readonly RegExp[]): string[] {
  const faults: string[] = [];
  const fault = (text: string): void => {
    if (!expected.some((pattern) => pattern.test(text))) faults.push(text);
  };
  page.on('pageerror', (error) => fault(`thrown: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') fault(`${message.type()}: ${message.text()}`);
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // A page that is left, or a query that is not wanted any more.
    if (why !== 'net::ERR_ABORTED') fault(`request failed: ${request.url()} ${why}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !/^(data|blob):/.test(request.url())) fault(`call to ${request.url()}`);
  });
  return faults;
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface AxeViolation {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Fails on anything axe-core calls serious or critical. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated by the driver, past the content security policy: the page's own scripts could not.
  await page.evaluate(await readFile(axePath, 'utf8'));
  const found = await page.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: { run(options: object): Promise<{ violations: AxeViolation[] }> } })
      .axe;
    return (await axe.run({ resultTypes: ['violations'] })).violations;
  });
  const grave = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  if (grave.length === 0) return;
  const lines = grave.flatMap(({ id, help, nodes }) => [
    `${id}: ${help}`,
    ...nodes.slice(0, 5).map(({ html, failureSummary }) => `  ${html.slice(0, 200)}\n    ${failureSummary ?? ''}`),
  ]);
  throw new Error(`not accessible:\n${lines.join('\n')}`);
}

/** Fails where the page is wider than the window: only what is inside may scroll sideways. */
export async function expectFits(page: Page): Promise<void> {
  const { wide, window, widest } = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const outside = [...document.querySelectorAll('main *')].filter((part) => {
      const { right } = part.getBoundingClientRect();
      return right > width + 1 && part.closest('[tabindex="0"], [role="tablist"]') === null;
    });
    return {
      wide: document.documentElement.scrollWidth,
      window: width,
      widest: outside[0]?.outerHTML.slice(0, 200) ?? '',
    };
  });
  if (wide > window) throw new Error(`the page is ${wide} px wide in a window of ${window} px: ${widest}`);
}

/** A picture of the window, for people to look at. `whole`: the window is made as high as the page first. */
export async function screenshot(page: Page, file: string, whole = false): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const { width } = page.viewportSize() ?? WIDE;
  if (whole) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width, height });
  }
  await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
}
