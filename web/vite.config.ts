import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Where `npm start` serves the API; for work on pages with `npm run web`. */
const SERVER = 'http://127.0.0.1:8080';

/** The document names the files of these: no file waits until another one asks for it. */
const FIRST = ['/src/shell/shell.tsx', '/src/pages/home/home.tsx'];
const TASK = ['/src/pages/task/task.tsx'];

/** Begins with the document what the first page needs: its files, and its data before they are there. */
const firstLoad: Plugin = {
  name: 'first-load',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle }) => {
      if (bundle === undefined) return [];
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const needs = (file: string): string[] => [
        ...(chunks.find(({ fileName }) => fileName === file)?.imports.flatMap(needs) ?? []),
        file,
      ];
      const filesOf = (pages: string[], known: string) =>
        chunks
          .filter(({ facadeModuleId }) => pages.some((page) => facadeModuleId?.endsWith(page)))
          .flatMap(({ fileName }) => needs(fileName))
          .filter((file, at, all) => !known.includes(file) && all.indexOf(file) === at);
      const first = filesOf(FIRST, html);
      const task = filesOf(TASK, html + first.join());
      const begun = chunks.find(({ name }) => name === 'begun')?.fileName;
      const preload = (file: string) => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', href: `/${file}` },
      });
      const tags = [
        { tag: 'template', children: task.map(preload) },
        // Not async, it would wait for the style sheet.
        { tag: 'script', attrs: { type: 'module', async: true, src: `/${begun}` } },
        ...first.map(preload),
      ];
      return tags.map((tag) => ({ ...tag, injectTo: 'head' as const }));
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), firstLoad],
  resolve: {
    alias: {
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
      output: {
        // 36 bits tell versions of one file apart; the shell names every chunk.
        chunkFileNames: 'assets/[name]-[hash:6].js',
        // What every page needs is one file, which compresses better than its parts.
        codeSplitting: {
          groups: [
            { name: 'begun', test: /web\/src\/data\/begun\./, priority: 1 },
            {
              name: 'shell',
              test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack)\/(?!.*(nfiniteQuery(Observer)?\.|Suspense))|client\/src\/(?!stream)|csp-(context|provider)|web\/src\/(data\/(api|proof|queries|session|storage|unanswered)|search|shell\/(failed-page|loading|scheme)|ui\/(button|failure|icons|page|title))\.|vite\/preload-helper/,
            },
            { name: 'form', test: /web\/src\/ui\/(anew|form|instead)\./ },
            {
              // What pages with a stream need: with it, a stream can be opened after a cut.
              name: 'streaming',
              test: /web\/src\/data\/(streaming|stream-places|task-changes)\.|client\/src\/stream\./,
            },
            {
              // What most pages need: each further file would be one more name in the shell.
              name: 'kit',
              test: /web\/src\/(data\/(account|billing|config|erp|forget-drafts|invitations|leave-for|lists|names|notice|passkeys|project|workspace)|ui\/(act-button|ago|amount|copy|copy-id|day-range|dialog|export-links|menu|money|notice|people|row-keys|select|selection|status|table|tabs|time)|pages\/task\/states|pages\/workspace\/(blockers|person-picker|roles-to-give|use-workspace))\.|useInfiniteQuery\./,
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
