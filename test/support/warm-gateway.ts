/**
 * Program: one gateway in a process of its own that a test may kill. It loads everything, then waits for a line: what
 * `startGateway` takes, as JSON. So the next process can be ready before the one before it is dead. Prints `loaded`, then
 * its address. UNDERSTUDY_TEST_SKEW_MS: how far its clock is off.
 */
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { systemClock } from '../../src/adapters/system-clock.ts';
import { type StartOptions, startGateway } from '../../src/assemble.ts';

const skewMs = Number(process.env['UNDERSTUDY_TEST_SKEW_MS'] ?? 0);
const clock = { ...systemClock, wall: () => systemClock.wall() + skewMs };

process.stdout.write('loaded\n');
const [line] = (await once(createInterface({ input: process.stdin }), 'line')) as [string];
const gateway = await startGateway({ log: 'silent', clock, ...(JSON.parse(line) as StartOptions) });
process.stdout.write(`${gateway.url}\n`);
process.once('SIGTERM', () => void gateway.drain(2000).then(() => process.exit()));
