// Needs the gateway of this folder and a simulator; BASE_URL, CLIENT_KEY and SIM_URL for others.
// OUT names the folder of the summaries; CRASH_AT an order at which the program dies.
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';

const base = process.env.BASE_URL ?? 'http://127.0.0.1:4000/v1';
const key = process.env.CLIENT_KEY ?? 'key-for-trying-out';
const sim = process.env.SIM_URL ?? 'http://127.0.0.1:4010/v1';
const out = process.env.OUT ?? 'summaries';

const orders = [
  { id: '4711', items: ['lamp', 'bulb'] },
  { id: '4712', items: ['kettle'] },
  { id: '4713', items: ['desk', 'chair', 'lamp'] },
  { id: '4714', items: ['teapot', 'cups'] },
  { id: '4715', items: ['ladder'] },
];
/** A new wording is another request: it needs other keys, or the old ones answer 422. */
const WORDING = 1;

async function summarise({ id, items }) {
  const response = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      // Known before the call and the same after a crash: never drawn, never taken from the answer.
      'idempotency-key': `order-summary/${id}/${WORDING}`,
    },
    // Nothing in here may change from run to run, such as the time of day.
    body: JSON.stringify({
      model: 'summariser',
      messages: [{ role: 'user', content: `Summarise order ${id}: ${items.join(', ')}.` }],
    }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(`order ${id}: ${response.status} ${body.error.code}: ${body.error.message}`);
  return {
    summary: body.choices[0].message.content,
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
  };
}

/** The name is the order's, and a half-written file never has it: writing twice is writing once. */
async function keep(id, summary) {
  const file = join(out, `${id}.txt`);
  await writeFile(`${file}.part`, `${summary}\n`);
  await rename(`${file}.part`, file);
}

await mkdir(out, { recursive: true });
for (const order of orders) {
  const { summary, isReplayed } = await summarise(order);
  console.log(`${order.id}: ${isReplayed ? 'the summary of the earlier run' : 'summarised'}`);
  // The worst moment: paid for, and not written down.
  if (process.env.CRASH_AT === order.id) process.kill(process.pid, 'SIGKILL');
  await keep(order.id, summary);
}

const files = (await readdir(out)).filter((name) => name.endsWith('.txt'));
const { calls } = await (await fetch(new URL('/__sim/calls', sim))).json();
console.log(`${files.length} summaries, ${calls.length} upstream calls`);
