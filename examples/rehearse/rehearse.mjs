// Needs the gateway of gateway.yaml; BASE_URL and CLIENT_KEY for another one.
import process from 'node:process';

const base = process.env.BASE_URL ?? 'http://127.0.0.1:4000/v1';
const key = process.env.CLIENT_KEY ?? 'key-for-trying-out';
const request = { model: 'large', messages: [{ role: 'user', content: 'Are you there?' }] };

async function post(path, headers = {}) {
  return await fetch(base + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
  });
}

const plan = await (await post('/plan')).json();
console.log('The plan, if every attempt is answered with a server error:');
const { attempts, ends } = plan.if_all_fail.server_error;
for (const { no, model, channel, reason } of attempts) console.log(`  ${no}. ${model} via ${channel}: ${reason}`);
console.log(`  in the end ${ends.status} ${ends.code}`);

console.log('The same on purpose, one failure more each time:');
for (let times = 0; times <= attempts.length; times += 1) {
  const headers = times === 0 ? {} : { 'x-understudy-rehearse': `status=500;times=${times}` };
  const answer = await post('/chat/completions', headers);
  const body = await answer.json();
  const outcome = answer.ok ? `answered by ${body.model}` : `${answer.status} ${body.error.code}`;
  console.log(`  ${times} failed: ${outcome}, ${answer.headers.get('x-understudy-attempts')} attempts`);
}
