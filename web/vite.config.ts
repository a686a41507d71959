import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm start` serves the API; for work on pages with `npm run web`. */
const SERVER = 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  resolve: {
    alias: {
      // For browsers, it comes with a copy that needs a document, which a thread does not have.
      'decode-named-character-reference': fileURLToPath(
        import.meta.resolve('decode-named-character-reference'),
      ),
    },
  },
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    target: 'es2023',
    emptyOutDir: true,
    // Data URLs would need an exception in the content policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // 36 bits tell versions of one file apart; the shell names every chunk.
        chunkFileNames: 'assets/[name]-[hash:6].js',
        // What every page needs is one file, which compresses better than its parts.
        codeSplitting: {
          groups: [
            {
              name: 'shell',
              test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack)\/(?!.*(nfiniteQuery(Observer)?\.|Suspense))|client\/src\/(?!stream)|web\/src\/(data\/(api|proof|queries|session)|ui\/(button|icons))|vite\/preload-helper/,
            },
            {
              // What most pages need: each further file would be one more name in the shell.
              name: 'kit',
              test: /web\/src\/(data\/(account|billing|config|erp|invitations|leave-for|lists|notice|passkeys|project|workspace)|ui\/(act-button|day-range|dialog|export-links|menu|money|notice|people|row-keys|selection|status|table|tabs|time)|pages\/task\/states|pages\/workspace\/(blockers|person-picker|roles-to-give|select|use-workspace))\.|useInfiniteQuery\./,
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
