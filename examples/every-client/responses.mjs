// Responses. Needs CLIENT_KEY, as `npm run demo` prints it; BASE_URL for another gateway than the demo's.
import process from 'node:process';
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: process.env.BASE_URL ?? 'http://127.0.0.1:4000/v1',
  apiKey: process.env.CLIENT_KEY,
  defaultHeaders: { 'X-Understudy-Models': 'sim/fail-503,sim/ok' },
});
const question = { model: 'sim/fail-503', input: 'Are you there?' };

const answer = await client.responses.create(question);
console.log(`whole:  ${answer.output_text} (${answer.model})`);

process.stdout.write('stream: ');
for await (const event of await client.responses.create({ ...question, stream: true })) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
  if (event.type === 'response.completed') process.stdout.write(` (${event.response.understudy.served_model})`);
}
console.log();

try {
  const broken = { ...question, stream: true };
  const options = { headers: { 'X-Understudy-Models': 'sim/cut-3' } };
  for await (const _ of await client.responses.create(broken, options));
} catch (error) {
  if (!(error instanceof OpenAI.APIError)) throw error;
  console.log(`cut:    ${error.code}`);
}
