import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import { defineConfig, minifySync, type Plugin, type Rolldown, transformWithOxc } from 'vite';

/** Where `npm start` serves the API; for work on pages with `npm run web`. */
const SERVER = 'http://127.0.0.1:8080';

/** The document names the files of these: no file waits until another one asks for it. */
const FRAME = '/src/shell/shell.tsx';
/** And of these where the address is theirs (`src/data/begun.ts`). */
const PAGES = { home: '/src/pages/home/home.tsx', task: '/src/pages/task/task.tsx' };
const BEGUN = fileURLToPath(import.meta.resolve('./src/data/begun.ts'));

/**
 * Begins with the document what the first page needs: its files, and its data before they are there.
 * What the document contains itself, the style sheet and the script that begins, arrives while the line
 * would be idle until the first file comes. The server allows both by their hash.
 */
const firstLoad: Plugin = {
  name: 'first-load',
  transformIndexHtml: {
    order: 'post',
    handler: async (html, { bundle }) => {
      if (bundle === undefined) return [];
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const needs = (file: string): string[] => [
        ...(chunks.find(({ fileName }) => fileName === file)?.imports.flatMap(needs) ?? []),
        file,
      ];
      const filesOf = (page: string, known: string) =>
        chunks
          .filter(({ moduleIds }) => moduleIds.some((id) => id.endsWith(page)))
          .flatMap(({ fileName }) => needs(fileName))
          .filter((file, at, all) => !known.includes(file) && all.indexOf(file) === at);
      const preload = (file: string) => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', href: `/${file}` },
      });
      const frame = filesOf(FRAME, html);
      const pages = Object.entries(PAGES).map(([name, page]) => ({
        tag: 'template',
        attrs: { id: `files-of-${name}` },
        children: filesOf(page, html + frame.join()).map(preload),
      }));
      const begun = await transformWithOxc(readFileSync(BEGUN, 'utf8'), BEGUN);
      const { code } = minifySync('begun.js', begun.code, { module: true });
      const tags = [
        ...frame.map(preload),
        ...pages,
        // Not async, it would wait for the other scripts.
        { tag: 'script', attrs: { type: 'module', async: true }, children: code },
        // Last: the names of the files come first.
        { tag: 'style', children: sheetOf(bundle) },
      ];
      return {
        html: html.replace(/ *<link rel="stylesheet"[^>]*>\n?/, ''),
        tags: tags.map((tag) => ({ ...tag, injectTo: 'head' as const })),
      };
    },
  },
};

/** The style sheet of all pages, which is no file any more. */
function sheetOf(bundle: Rolldown.OutputBundle): string {
  const sheets = Object.values(bundle).filter(({ fileName }) => fileName.endsWith('.css'));
  const [sheet] = sheets;
  if (sheets.length !== 1 || sheet?.type !== 'asset') throw new Error('There is one style sheet.');
  const text = String(sheet.source).trim();
  if (/<\/style/i.test(text)) throw new Error('A style sheet cannot contain its own end.');
  delete bundle[sheet.fileName];
  return text;
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwind(), firstLoad],
  resolve: {
    alias: {
      // Preact is a sixth of React: pages are written for React, and run on Preact.
      'react-dom/client': 'preact/compat/client',
      'react-dom': 'preact/compat',
      'react/jsx-runtime': 'preact/jsx-runtime',
      'react/jsx-dev-runtime': 'preact/jsx-dev-runtime',
      react: 'preact/compat',
      // For browsers, it comes with a copy that needs a document, which a thread does not have.
      'decode-named-character-reference': fileURLToPath(
        import.meta.resolve('decode-named-character-reference'),
      ),
      // The shim is for versions of React that lack what it stands for.
      'use-sync-external-store/shim': 'use-sync-external-store',
    },
  },
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    target: 'es2023',
    emptyOutDir: true,
    // Data URLs would need an exception in the content policy.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // The document names what most pages need; the names of small parts would burden the shell.
      resolveDependencies: (file, needed) =>
        needed.filter((one) => one === file || /\/form-|\.css$/.test(one)),
    },
    reportCompressedSize: false,
    rolldownOptions: {
      // `use client`, in most files of the libraries, says something to servers that draw pages.
      checks: { moduleLevelDirective: false, bundlerTimings: false },
      output: {
        // 36 bits tell versions of one file apart; the shell names every chunk.
        chunkFileNames: 'assets/[name]-[hash:6].js',
        // What every page needs is one file, which compresses better than its parts.
        codeSplitting: {
          groups: [
            {
              name: 'shell',
              test: /node_modules\/(preact|use-sync-external-store|@tanstack)\/(?!.*(nfiniteQuery(Observer)?\.|Suspense))|client\/src\/(?!stream)|csp-(context|provider)|web\/src\/(data\/(api|proof|queries|session|storage|take-begun|unanswered)|router|routes\/[a-z-]+|search|shell\/(failed-page|loading|scheme)|ui\/(button|failure|icons|page|title))\.|rolldown\/runtime|vite\/preload-helper/,
            },
            {
              // What the frame, Home and a task need: few files are asked for at once.
              name: 'first',
              test: /web\/src\/(shell\/shell|data\/(balance-of|billing|config|forget-drafts|invitations|lists|names|notice|patiently|project|workspace)|ui\/(act-button|ago|amount|copy|copy-id|dialog|instead|lazily|mark|menu|money|more|notice|page-icon|people|row-keys|status|time|workspace-badge)|pages\/task\/states)\.|useInfiniteQuery\./,
            },
            { name: 'table', test: /web\/src\/ui\/(selection|table)\./ },
            { name: 'form', test: /web\/src\/ui\/(anew|confirm|form)\./ },
            {
              // What a task shares with other pages.
              name: 'work',
              test: /web\/src\/(data\/(drafts|erp|network|notifications|send-file|task|uploads|waits)|ui\/(bar|long-text|thread|markdown\/(markdown|parsing))|pages\/task\/(code\/rows|composer-field|fund|models))\./,
            },
            {
              // What pages with a stream need: with it, a stream can be opened after a cut.
              name: 'streaming',
              test: /web\/src\/data\/(streaming|stream-places|task-changes)\.|client\/src\/stream\./,
            },
            {
              // What most pages need: each further file would be one more name in the shell.
              name: 'kit',
              test: /web\/src\/(data\/(account|leave-for|passkeys)|ui\/(day-range|export-links|select|tabs)|pages\/workspace\/(blockers|person-picker|roles-to-give|use-workspace))\./,
            },
          ],
        },
      },
    },
    manifest: 'manifest.json',
  },
  server: {
    port: 5173,
    strictPort: true,
    proxy: { '/api': SERVER, '/auth': SERVER, '/git': SERVER },
  },
});
