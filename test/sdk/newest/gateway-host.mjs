/**
 * Program: simulator and gateway, compiled, on the Node the gateway is made for. Prints their addresses as one line of
 * JSON and ends with its standard input.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

const dist = new URL('../../../dist/', import.meta.url);
const { startSimulator } = await import(new URL('sim/index.js', dist).href);
const { startGateway } = await import(new URL('src/assemble.js', dist).href);

const simulator = await startSimulator();
const dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-newest-'));
const configText = (process.env.UNDERSTUDY_TEST_CONFIG ?? '').replaceAll('SIMULATOR_URL', simulator.url);
const gateway = await startGateway({ configText, port: 0, dataDir, env: {}, log: 'silent' });
process.stdout.write(`${JSON.stringify({ gatewayUrl: gateway.url, simulatorUrl: simulator.url })}\n`);

for await (const _ of process.stdin);
await gateway.close();
await simulator.close();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
