import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { licences } from './licences.ts';
import { twoLanguages } from './two-languages.ts';

/** Where `npm run dev` has the gateway. */
const gateway = process.env['UNDERSTUDY_URL'] ?? 'http://127.0.0.1:4000';

export default defineConfig({
  base: '/console/',
  plugins: [react(), twoLanguages(), licences()],
  // Put in place of this by the gateway, anew for every answer.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // A data: address would need an exception in the content security policy.
    assetsInlineLimit: 0,
    sourcemap: false,
    // How long plugins take is no fault of the build's; a busy machine would be told so every time.
    rolldownOptions: { checks: { pluginTimings: false } },
    // What counts is what the first page loads, compressed: test/console/budget.test.ts.
    chunkSizeWarningLimit: 2000,
  },
  server: {
    host: '127.0.0.1',
    port: 4020,
    strictPort: true,
    proxy: Object.fromEntries(['/admin', '/v1', '/v1beta', '/openai', '/openapi.json'].map((path) => [path, gateway])),
  },
});
