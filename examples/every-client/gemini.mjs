// Gemini. Needs CLIENT_KEY, as `npm run demo` prints it; BASE_URL for another gateway than the demo's.
import process from 'node:process';
import { ApiError, GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({
  apiKey: process.env.CLIENT_KEY,
  httpOptions: {
    // This client adds the version itself.
    baseUrl: (process.env.BASE_URL ?? 'http://127.0.0.1:4000/v1').replace(/\/v1$/, ''),
    headers: { 'X-Understudy-Models': 'sim/fail-503,sim/ok' },
  },
});
// Names with a slash stand behind `models/`, else the client takes the part before it for something else.
const question = { model: 'models/sim/fail-503', contents: 'Are you there?' };

const answer = await client.models.generateContent(question);
console.log(`whole:  ${answer.text} (${answer.modelVersion})`);

process.stdout.write('stream: ');
let served = '';
for await (const chunk of await client.models.generateContentStream(question)) {
  process.stdout.write(chunk.text ?? '');
  served = chunk.modelVersion;
}
console.log(` (${served})`);

try {
  const config = { httpOptions: { headers: { 'X-Understudy-Models': 'sim/cut-3' } } };
  for await (const _ of await client.models.generateContentStream({ ...question, config }));
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  // This dialect's errors are numbers with a name; the gateway's own code stands among the details.
  console.log(`cut:    ${error.status} ${/"reason":\s*"(\w+)"/.exec(error.message)?.[1] ?? error.message}`);
}
