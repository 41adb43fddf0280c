/**
 * Program: one gateway from the sources, in a process of its own that a test may kill. Configuration, data folder and
 * port come as JSON in UNDERSTUDY_TEST_START; its address is printed as one line.
 */

import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const vite = await createServer({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  configFile: false,
  logLevel: 'error',
  appType: 'custom',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, watch: null, hmr: false, ws: false },
});
const { startGateway } = await vite.ssrLoadModule('/src/assemble.ts');
const start = JSON.parse(process.env.UNDERSTUDY_TEST_START ?? '{}');
const gateway = await startGateway({ env: {}, log: 'silent', ...start });
process.stdout.write(`${gateway.url}\n`);
