import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { atEnd } from '../../server/testing/harness/at-end.ts';
import { buildWeb } from '../build.ts';
import { unpackBrowser } from './unpack-browser.ts';

/** Where the dashboard of this checkout is, once `openBrowser` has built it. */
export const DASHBOARD = join(import.meta.dirname, '../dist');

/** The browser that npm brings; for Linux on x64 alone. */
const PACKAGED = '153.0.0';

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

// Not the flags of the package: they switch the security of the web off.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  // A name of a local network, for tests of what browsers do not trust.
  '--host-resolver-rules=MAP nas 127.0.0.1',
];

/** Why tests in a browser are skipped on this machine; false if there is one. */
export const noBrowser: string | false = hasBrowser()
  ? false
  : 'there is no browser: set GUILDHALL_TEST_BROWSER to the path of a Chromium';

if (noBrowser && process.env.CI === 'true') throw new Error(noBrowser);

function isPackaged(): boolean {
  return process.platform === 'linux' && process.arch === 'x64';
}

function hasBrowser(): boolean {
  return (
    process.env.GUILDHALL_TEST_BROWSER !== undefined || isPackaged() || installed() !== undefined
  );
}

const installed = () => INSTALLED.find((path) => existsSync(path));

let shared: Promise<Browser> | undefined;

/** The browser of all test files of this process, with the dashboard built. */
export async function openBrowser(): Promise<Browser> {
  shared ??= openShared();
  return shared;
}

async function openShared(): Promise<Browser> {
  await buildWeb();
  const browser = await launchBrowser();
  atEnd(() => browser.close());
  return browser;
}

/** The browser alone; whoever starts it closes it. */
export async function launchBrowser(): Promise<Browser> {
  const given = process.env.GUILDHALL_TEST_BROWSER;
  const { executablePath, libraries } =
    given === undefined && isPackaged()
      ? await unpackBrowser(PACKAGED)
      : { executablePath: given ?? (installed() as string), libraries: undefined };
  return chromium.launch({
    executablePath,
    args: FLAGS,
    env: {
      ...(process.env as Record<string, string>),
      ...(libraries && { LD_LIBRARY_PATH: libraries }),
    },
  });
}

interface Look {
  scheme: 'light' | 'dark';
  width: number;
}

const WIDE: Look = { scheme: 'light', width: 1280 };
/** A phone, in the dark. */
export const NARROW: Look = { scheme: 'dark', width: 320 };

export interface Visit extends Partial<Look> {
  url: string;
  /** The text of a `Cookie` header that signs the visitor in. */
  cookie?: string;
}

/** A page that a person looks at, which fails the test for every error of its console. */
export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Goes to a path of the server, and waits for the heading of its page. */
  open(path: string): Promise<void>;
  /** Errors that a test expects, such as a refused request: they are taken out of the list. */
  expectErrors(pattern: RegExp): void;
  /** Asserts that the console has no error. */
  hasNoErrors(): void;
  /** Asserts that the console has no error and that axe finds nothing on the page as it is. */
  isClean(): Promise<void>;
  /**
   * Asserts that the page is clean and not wider than its window: as it is, wide and in light, and
   * narrow and in the dark.
   */
  isCleanInEveryLook(): Promise<void>;
  /** Asserts that the console has no error, and closes the window. */
  leave(): Promise<void>;
}

/** Opens a window of its own, as a new visitor. */
export async function visit(
  browser: Browser,
  { url, cookie, scheme = WIDE.scheme, width = WIDE.width }: Visit,
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: url,
    locale: 'en-US',
    timezoneId: 'UTC',
    colorScheme: scheme,
    reducedMotion: 'reduce',
    viewport: viewport(width),
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  if (cookie !== undefined) {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
  }
  const page = await context.newPage();
  // It only ends hangs: on a loaded machine a turn of an agent may take longer than the default.
  context.setDefaultTimeout(60_000);
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      errors.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    if (
      !/^(data|blob):/.test(request.url()) &&
      new URL(request.url()).origin !== new URL(url).origin
    )
      errors.push(`a request to another server: ${request.url()}`);
  });
  const hasNoErrors = () => assert.deepEqual(errors, []);
  const isClean = async () => {
    hasNoErrors();
    assert.deepEqual(await violations(page), []);
  };
  return {
    page,
    context,
    open: async (path) => {
      await page.goto(path);
      // Not until nothing is loaded: the stream of a task never ends.
      // A plan that is shown may have such a heading too.
      await page.getByRole('heading', { level: 1 }).first().waitFor();
    },
    expectErrors: (pattern) => {
      const others = errors.filter((error) => !pattern.test(error));
      assert.ok(others.length < errors.length, `no error of the console matches ${pattern}`);
      errors.splice(0, errors.length, ...others);
    },
    hasNoErrors,
    isClean,
    isCleanInEveryLook: async () => {
      const others = [WIDE, NARROW].filter((look) => look.width !== width);
      const looks = [{ scheme, width }, ...others];
      for (const look of looks) {
        await show(page, look);
        const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));
        assert.ok(wide <= look.width, `${wide} pixels in a window of ${look.width}`);
        await isClean();
      }
      await show(page, { scheme, width });
    },
    leave: async () => {
      hasNoErrors();
      await context.close();
    },
  };
}

const viewport = (width: number) => ({ width, height: width < 600 ? 780 : 860 });

/** Changes how a page is looked at, and waits until it is drawn so. */
async function show(page: Page, { scheme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize(viewport(width));
  await page.evaluate(
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
  );
}

/** Waits until a text is to be seen. The error says what the page shows instead. */
export async function sees(page: Page, text: string): Promise<void> {
  try {
    await page.getByText(text).waitFor();
  } catch (cause) {
    const shown = await page.locator('body').innerText();
    throw new Error(`"${text}" is not to be seen. The page shows:\n${shown}`, { cause });
  }
}

/** For `page.evaluate`: the field with the focus gets Enter as an input method sends it, to take a word. */
export const COMPOSING_ENTER = `document.activeElement.dispatchEvent(new KeyboardEvent('keydown',
  { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }))`;

/** Finds a person by a part of the name, and chooses the first who fits. */
export async function choose(on: Page | Locator, label: string, name: string): Promise<void> {
  await on.getByRole('combobox', { name: label }).fill(name);
  await on.getByRole('option', { name }).first().click();
}

const AXE = readFileSync(
  join(fileURLToPath(import.meta.resolve('axe-core')), '..', 'axe.min.js'),
  'utf8',
);
/** All it tells of a rule that nothing breaks is that. */
const OPTIONS = {
  runOnly: {
    type: 'tag',
    values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  },
  resultTypes: ['violations'],
  // It would read the style sheets once more, for rules that are not among these.
  preload: false,
};

/** What axe finds on a page: each rule with the elements that break it. */
async function violations(page: Page): Promise<string[]> {
  // As text: a script element would break the content policy of the page.
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(AXE);
  const found = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(OPTIONS)}).then(({ violations }) => violations)`,
  )) as { id: string; nodes: { html: string }[] }[];
  return found.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}
