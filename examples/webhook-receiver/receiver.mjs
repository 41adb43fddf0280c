// Hears the gateway's events: checks each signature, takes a repeated message once, prints what happened.
//   HOOK_SECRET  whsec_…, of the webhook      PORT  where to listen
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const { HOOK_SECRET = '', PORT = '4030' } = process.env;
const key = Buffer.from(HOOK_SECRET.replace(/^whsec_/, ''), 'base64');
const TOLERANCE_S = 300;
// A real receiver keeps these where it keeps what it does with the events.
const seen = new Set();

const server = createServer(async (request, answer) => {
  const body = await buffer(request);
  if (!isSigned(request.headers, body)) {
    answer.writeHead(401).end();
    return;
  }
  // First the answer, then the work: it is not waited for longer than 15 seconds.
  answer.writeHead(204).end();
  const id = request.headers['webhook-id'];
  if (seen.has(id)) return;
  seen.add(id);
  const message = JSON.parse(body);
  const events = message.type === 'batch' ? message.data : [message];
  for (const { type, timestamp, workspace, data } of events) {
    console.log(`${timestamp} ${type} ${workspace ?? '-'} ${JSON.stringify(data)}`);
  }
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

// One of the signatures is ours: there are two while the secret is renewed.
function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const ours = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((signature) => {
    const theirs = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return theirs.length === ours.length && timingSafeEqual(theirs, ours);
  });
}
