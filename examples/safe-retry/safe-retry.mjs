// Needs the gateway of gateway.yaml; BASE_URL and CLIENT_KEY for another one.
import { randomUUID } from 'node:crypto';
import process from 'node:process';

const base = process.env.BASE_URL ?? 'http://127.0.0.1:4000/v1';
const key = process.env.CLIENT_KEY ?? 'key-for-trying-out';
const run = randomUUID();

async function ask(model, { name, giveUpAfterMs, question = 'Are you there?' }) {
  return await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `${name}-${run}`,
    },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: question }], redundancy: { retries: 0 } }),
    signal: giveUpAfterMs === undefined ? undefined : AbortSignal.timeout(giveUpAfterMs),
  });
}

async function tell(what, answer) {
  const { error } = await answer.json();
  const how = answer.headers.has('idempotent-replayed')
    ? 'replayed'
    : answer.headers.has('x-understudy-original-request-id')
      ? 'joined the call that was running'
      : 'a run of its own';
  console.log(`${what}: ${answer.status}${error === undefined ? `, ${how}` : ` ${error.code}`}`);
}

console.log('A client gives up too early, and asks again:');
await ask('slow', { name: 'early', giveUpAfterMs: 300 }).catch(() => console.log('  1st: gave up after 300 ms'));
await tell('  2nd', await ask('slow', { name: 'early' }));
await tell('  3rd', await ask('slow', { name: 'early' }));
await tell('  another question', await ask('slow', { name: 'early', question: 'And you?' }));

console.log('An upstream that is down, four calls at most for one key:');
for (let turn = 1; turn <= 5; turn += 1) await tell(`  ${turn}.`, await ask('down', { name: 'down' }));
