// Stands before a model server and lets through only what the gateway sent.
//   MODEL_URL  the model server          JWKS_URL  the gateway's keys
//   PROVIDER   our name at the gateway   PORT      where to listen
import { createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createVerifier } from './verify.mjs';

const {
  MODEL_URL = 'http://127.0.0.1:4010',
  JWKS_URL = 'http://127.0.0.1:4000/.well-known/jwks.json',
  PROVIDER = 'gpu',
  PORT = '4020',
} = process.env;
const HEADER = 'x-understudy-entitlement';
const verify = createVerifier({ jwksUrl: JWKS_URL, provider: PROVIDER });

const server = createServer(async (incoming, answer) => {
  const body = await buffer(incoming);
  try {
    const claims = await verify(incoming.headers[HEADER], body);
    console.log(`${claims.jti}: ${claims.sub} asks ${claims.upstream_model}`);
  } catch (error) {
    console.log(`refused: ${error.message}`);
    answer.writeHead(401, { 'content-type': 'application/json' });
    answer.end(JSON.stringify({ error: { type: 'authentication_error', message: error.message } }));
    return;
  }
  const { [HEADER]: _token, host: _host, ...headers } = incoming.headers;
  const call = request(MODEL_URL + incoming.url, { method: incoming.method, headers });
  call.on('response', (response) => {
    answer.writeHead(response.statusCode, response.headers);
    response.pipe(answer);
  });
  call.on('error', () => answer.destroy());
  answer.on('close', () => call.destroy());
  call.end(body);
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
