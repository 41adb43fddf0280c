// Messages. Needs CLIENT_KEY, as `npm run demo` prints it; BASE_URL for another gateway than the demo's.
import process from 'node:process';
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  // This client adds `/v1` itself.
  baseURL: (process.env.BASE_URL ?? 'http://127.0.0.1:4000/v1').replace(/\/v1$/, ''),
  apiKey: process.env.CLIENT_KEY,
  defaultHeaders: { 'X-Understudy-Models': 'sim/fail-503,sim/ok' },
});
const question = {
  model: 'sim/fail-503',
  max_tokens: 200,
  messages: [{ role: 'user', content: 'Are you there?' }],
};

const answer = await client.messages.create(question);
console.log(`whole:  ${answer.content[0].text} (${answer.model})`);

process.stdout.write('stream: ');
for await (const event of await client.messages.create({ ...question, stream: true })) {
  if (event.type === 'content_block_delta') process.stdout.write(event.delta.text ?? '');
  if (event.type === 'message_delta') process.stdout.write(` (${event.understudy.served_model})`);
}
console.log();

try {
  const options = { headers: { 'X-Understudy-Models': 'sim/cut-3' } };
  for await (const _ of await client.messages.create({ ...question, stream: true }, options));
} catch (error) {
  if (!(error instanceof Anthropic.APIError)) throw error;
  console.log(`cut:    ${error.error.error.code}`);
}
