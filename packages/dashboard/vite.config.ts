import path from 'node:path';
import { defineConfig } from 'vite';

/** The page becomes part of the server's build, which serves and packs it. Paths are relative, so that it works below any other path. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  build: {
    outDir: path.resolve(import.meta.dirname, '../../dist/ui'),
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // Files instead of data: URLs, which the page may not load.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 300,
    reportCompressedSize: false,
    // On a busy machine the build would print which plugins took how long.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  // Reloads changes as they are saved, in front of a running server.
  server: {
    proxy: Object.fromEntries(
      ['/api', '/apis', '/readyz', '/version', '/metrics'].map((at) => [
        at,
        { target: process.env['API'] ?? 'https://127.0.0.1:6443', secure: false, changeOrigin: true },
      ]),
    ),
  },
});
