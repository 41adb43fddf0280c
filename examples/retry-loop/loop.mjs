// Needs the simulator and the gateway of this folder; BASE_URL, CLIENT_KEY and SIM_URL for others.
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const base = process.env.BASE_URL ?? 'http://127.0.0.1:4000/v1';
const key = process.env.CLIENT_KEY ?? 'key-for-trying-out';
const sim = process.env.SIM_URL ?? 'http://127.0.0.1:4010/v1';

const MOST_TRIES = 5;
/** So short for the show; a real client gives a call minutes. */
const PATIENCE_MS = 1500;
const LONGEST_WAIT_MS = 60_000;

/** One business request: however often it is sent, its key and its body stay the same. */
async function askOnce(idempotencyKey, request) {
  const body = JSON.stringify(request);
  for (let no = 1; ; no += 1) {
    const { answer, error, wait } = await send(no, idempotencyKey, body);
    if (answer !== undefined) return answer;
    if (wait === null || no === MOST_TRIES) throw error;
    await sleep(wait);
  }
}

/** One try: the answer, or the error and how long to wait before the next one (null = there shall be none). */
async function send(no, idempotencyKey, body) {
  try {
    const response = await fetch(`${base}/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    if (response.ok) {
      console.log(`try ${no}: ${response.status}`);
      return { answer: JSON.parse(text) };
    }
    const wait = waitAfter(response, no);
    const next = wait === null ? 'not to be repeated' : `again in ${Math.ceil(wait / 1000)} s`;
    console.log(`try ${no}: ${response.status}, ${next}`);
    return { error: new Error(`${response.status} ${text}`), wait };
  } catch (error) {
    // Nothing came, or not all of it. Whether the call was carried out is unknown: that is what the key is for.
    console.log(`try ${no}: no answer in time, the same again`);
    return { error, wait: backoff(no) };
  }
}

/** The gateway has tried everything before it answers, so its word counts, not the status. */
function waitAfter({ status, headers }, no) {
  const advice = headers.get('x-should-retry');
  if (advice === 'false') return null;
  // No advice: the answer of something between the client and the gateway.
  if (advice !== 'true' && status !== 429 && status < 500) return null;
  const ms = Number(headers.get('retry-after-ms') ?? Number(headers.get('retry-after')) * 1000);
  return ms > 0 ? Math.min(ms, LONGEST_WAIT_MS) : backoff(no);
}

/** A quarter to half a second, twice that after each further try, eight seconds at most. */
function backoff(no) {
  return Math.min(250 * 2 ** (no - 1), 4000) * (1 + Math.random());
}

/** What the simulator, the upstream here, has seen so far. */
async function upstreamCalls() {
  const { calls } = await (await fetch(new URL('/__sim/calls', sim))).json();
  return calls.length;
}

const before = await upstreamCalls();
// Made from what the request is for, not drawn: a restarted program finds the same one again.
const answer = await askOnce('order-summary/4711/1', {
  model: 'primary',
  messages: [{ role: 'user', content: 'Summarise order 4711.' }],
});
console.log(`one answer, finished: ${answer.choices[0].finish_reason}`);
console.log(`upstream calls: ${(await upstreamCalls()) - before}, two of them refused`);
