import path from 'node:path';
import { defineConfig } from 'vite';

/** The page becomes part of the server's build, from where it is served and packed. Paths are relative: it may stand below any other. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  build: {
    outDir: path.resolve(import.meta.dirname, '../../dist/ui'),
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // Files, not data: URLs, which the page may not load.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 300,
    reportCompressedSize: false,
  },
  // Changes as they are saved, in front of a server that runs already.
  server: {
    proxy: Object.fromEntries(
      ['/api', '/apis', '/readyz', '/version', '/metrics'].map((at) => [
        at,
        { target: process.env['API'] ?? 'https://127.0.0.1:6443', secure: false, changeOrigin: true },
      ]),
    ),
  },
});
