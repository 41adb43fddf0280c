import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { chatRequest, sendRaw } from '../test/faults/raw-client.ts';
import { runSim, type Simulator } from './index.ts';

const OUTAGE = fileURLToPath(new URL('../examples/sim-script/outage.yaml', import.meta.url));
let sim: Simulator | null = null;

afterEach(() => sim?.close());

it('X-1: the example script behaves as its README says, and runSim says where it is', async () => {
  const lines: string[] = [];
  sim = await runSim({ port: 0, script: OUTAGE, print: (line) => lines.push(line) });
  expect(lines.join('\n')).toContain(`${sim.url}/v1`);
  expect(lines.join('\n')).toContain('primary, backup');
  const seen: string[] = [];
  for (let i = 0; i < 5; i += 1) {
    const answer = await sendRaw({
      url: `${sim.url}/v1/chat/completions`,
      body: chatRequest('primary', { stream: true }),
    });
    seen.push(`${answer.status} ${answer.end}`);
  }
  expect(seen).toEqual(['429 complete', '429 complete', '503 complete', '200 cut', '200 complete']);
});

it('X-1: runSim rejects a script it can not read', async () => {
  await expect(runSim({ port: 0, script: '/nowhere.yaml' })).rejects.toThrow(/\/nowhere\.yaml/);
});
