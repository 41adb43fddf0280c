/**
 * Program: one gateway in a process of its own that a test may kill. It loads everything, then waits for a line: what
 * `startGateway` takes, as JSON. So the next process can be ready before the one before it is dead. Prints `loaded`, then
 * its address.
 */
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { type StartOptions, startGateway } from '../../src/assemble.ts';

process.stdout.write('loaded\n');
const [line] = (await once(createInterface({ input: process.stdin }), 'line')) as [string];
const gateway = await startGateway({ log: 'silent', ...(JSON.parse(line) as StartOptions) });
process.stdout.write(`${gateway.url}\n`);
process.once('SIGTERM', () => void gateway.drain(2000).then(() => process.exit()));
