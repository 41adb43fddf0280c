// Needs CLIENT_KEY, as `npm run demo` prints it; BASE_URL for another gateway than the demo's.
import process from 'node:process';
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: process.env.BASE_URL ?? 'http://127.0.0.1:4000/v1',
  apiKey: process.env.CLIENT_KEY,
});
const messages = [{ role: 'user', content: 'Are you there?' }];
// Understudy's own field beside OpenAI's; it is taken out before a provider sees the request.
const chain = { model: 'sim/fail-503', fallback_models: ['sim/ok'], messages };

const { data: answer, response } = await client.chat.completions.create(chain).withResponse();
console.log(`whole:    ${answer.choices[0].message.content}`);
console.log(
  `          asked for ${chain.model}, answered by ${answer.model} after ${answer.understudy.attempts} attempts`,
);
console.log(`          ${response.headers.get('x-request-id')}`);

process.stdout.write('stream:  ');
for await (const chunk of await client.chat.completions.create({ ...chain, stream: true })) {
  const [choice] = chunk.choices;
  process.stdout.write(choice?.delta.content ?? '');
  // The report comes with the last chunk that has choices.
  if (chunk.understudy !== undefined)
    process.stdout.write(`\n          answered by ${chunk.understudy.served_model}\n`);
}

try {
  process.stdout.write('cut:     ');
  for await (const chunk of await client.chat.completions.create({ model: 'sim/cut-3', messages, stream: true })) {
    process.stdout.write(chunk.choices[0]?.delta.content ?? '');
  }
} catch (error) {
  if (!(error instanceof OpenAI.APIError)) throw error;
  console.log(`\n          ${error.code}: ${error.message}`);
}
