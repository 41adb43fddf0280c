import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../faults/gateway.ts';
import { sendRaw } from '../faults/raw-client.ts';
import { ADMIN_TOKEN, type AttackRig, SECRET, startAttackRig, until } from './attack-rig.ts';
import { event, http, type RawCall, sse } from './raw-upstream.ts';

/** E-5: not six characters in a row. */
function leaked(text: string): string | null {
  for (let at = 0; at + 6 <= SECRET.length; at++) {
    const run = SECRET.slice(at, at + 6);
    if (text.includes(run)) return run;
  }
  return null;
}

const ESCAPED = [...SECRET].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
/** As JSON text inside a string. */
const FORMS = {
  plain: SECRET,
  escaped: ESCAPED,
  bearer: `Bearer ${SECRET}`,
  'in a URL': `https://u:${SECRET}@h/?key=${SECRET}`,
};

/** Where an upstream may put what it was sent. */
const PLACES: Readonly<Record<string, (secret: string) => Buffer>> = {
  'message of a 401': (secret) => http(401, `{"error":{"message":"bad key ${secret}"}}`),
  'message of a 400': (secret) => http(400, `{"error":{"message":"bad key ${secret}"}}`),
  'code, type and param': (secret) =>
    http(400, `{"error":{"message":"m","code":"${secret}","type":"${secret}","param":"${secret}"}}`),
  'a key of the body': (secret) => http(400, `{"${secret}":1,"error":{"message":"m","${secret}":"${secret}"}}`),
  'the request id, by header and in the body': (secret) =>
    http(400, `{"request_id":"${secret}","error":{"message":"m"}}`, [`x-request-id: ${SECRET}`]),
  'headers about limits': () =>
    http(429, '{"error":{"message":"m"}}', [`x-ratelimit-reset: ${SECRET}`, `x-ratelimit-${SECRET}: 1`]),
  'the id of an answer that failed': (secret) => http(200, `{"id":"${secret}","error":{"message":"m"}}`),
  'JSON in the message': (secret) =>
    http(500, JSON.stringify({ error: { message: `{"error":{"message":"inner ${secret}"}}` } })),
  'a page': (secret) => http(500, `<html><title>${secret}</title></html>`),
  'bare text': (secret) => http(500, `key ${secret} is bad`),
  XML: (secret) => http(500, `<Error><Code>${secret}</Code><Message>${secret}</Message></Error>`),
  'an error under 200': (secret) => http(200, `{"error":{"message":"bad ${secret}","code":"${secret}"}}`),
  'a finish reason beside a failed one': (secret) =>
    http(200, `{"choices":[{"index":0,"finish_reason":"error"},{"index":1,"finish_reason":"${secret}"}]}`),
  'a block reason': (secret) => http(200, `{"promptFeedback":{"blockReason":"${secret}"}}`),
  'the first event': (secret) => sse(`data: {"error":{"message":"bad ${secret}","code":"${secret}"}}\n\n`),
  'a later event': (secret) =>
    sse(`${event({ content: 'hi' })}data: {"error":{"message":"bad ${secret}","code":"${secret}"}}\n\n`),
  'two fields, a part each': () =>
    http(
      400,
      JSON.stringify({
        error: { message: SECRET.slice(0, 16), code: SECRET.slice(12, 28), type: SECRET.slice(6, 20) },
      }),
    ),
};

async function adminText(rig: AttackRig, path: string): Promise<string> {
  const got = await sendRaw({ url: `${rig.url}${path}`, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  expect(got.status, path).toBe(200);
  return got.text;
}

describe('a credential that the upstream says again', () => {
  it('E-5: is in no answer, header, record, file of the data folder, metric, log line or admin page', async () => {
    let next = http(200, '{}');
    const log: string[] = [];
    const rig = await startAttackRig([({ socket }: RawCall) => void socket.write(next)], {
      health: { circuit: { consecutive: 100_000, min_calls: 100_000 } },
      start: { log: 'info', logTo: { destination: { write: (line: string) => log.push(line) } } },
    });
    const { gateway } = rig.running;
    try {
      for (const [place, make] of Object.entries(PLACES)) {
        for (const [form, secret] of Object.entries(FORMS)) {
          next = make(secret);
          for (const target of gateway.board.list(0, 0)) gateway.board.reset(target.id);
          const got = await rig.ask({ stream: place.includes('event') });
          const where = `${place}, ${form}`;
          expect(leaked(got.text), `${where}: body`).toBeNull();
          expect(leaked(JSON.stringify(got.headers)), `${where}: headers`).toBeNull();
          const id = String(got.headers['x-request-id']);
          const record = await waitFor(() => gateway.records.get(id), where);
          expect(leaked(JSON.stringify(record)), `${where}: record`).toBeNull();
          expect(leaked(await adminText(rig, `/admin/v1/requests/${id}?include=events`)), `${where}: admin`).toBeNull();
        }
      }
      expect(leaked(await adminText(rig, '/metrics'))).toBeNull();
      expect(leaked(await adminText(rig, '/admin/v1/health/targets'))).toBeNull();
      expect(log.join('')).toContain('auth');
      expect(leaked(log.join(''))).toBeNull();
      await gateway.records.flush();
      for (const file of readdirSync(rig.running.dataDir)) {
        expect(leaked(readFileSync(join(rig.running.dataDir, file)).toString('latin1')), file).toBeNull();
      }
    } finally {
      await rig.close();
    }
  });

  it('E-5: also when a reload took it out while the request was under way', async () => {
    const rig = await startAttackRig([() => undefined]);
    try {
      const asked = rig.ask();
      await until(() => rig.ups[0]?.calls.length === 1, 'the call');
      await rig.reload((config) => {
        config['credentials'] = { c0: { provider: 'p0', secret: 'sk-live-of-tomorrow-00000000000' } };
      });
      rig.ups[0]?.calls[0]?.socket.write(http(400, `{"error":{"message":"bad key …${SECRET.slice(8, 18)}"}}`));
      const got = await asked;
      expect(got.status).toBe(400);
      expect(leaked(got.text)).toBeNull();
    } finally {
      await rig.close();
    }
  });
});
