import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSimulator } from '../../sim/index.ts';
import { type ApiName, apiOfDialect } from '../../src/config/apis.ts';
import type { RequestRecord } from '../../src/core/record.ts';
import type { Dialect } from '../../src/core/wire-names.ts';
import { startTestGateway, type TestGateway } from '../faults/gateway.ts';
import { type RawAnswer, sendRaw } from '../faults/raw-client.ts';
import { type Ask, type AskedTool, CLIENTS, type Client, generateArray, type Neutral } from './clients.ts';

const SECRET = 'AKIASIMULATOR001:SECRETOF/AKIASIMULATOR001';
const KEY = 'usk-matrix-client-key-0123456789abcdef';
const UPSTREAMS: readonly Dialect[] = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'bedrock'];
/** Names the simulator knows, asked for by every client of every upstream. */
const BEHAVIOURS = [
  'echo',
  'strict-echo',
  'tools',
  'strict-tools',
  'json',
  'reasoning',
  'sealed',
  'length',
  'filter',
  'refusal',
  'empty',
  'fail-429',
  'fail-500',
  'fail-400',
  'too-long',
  'error-3',
  'cut-3',
  'reset-3',
  'garbage-3',
  'no-finish',
  'ok:finish-pause-turn',
] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

/** Each behaviour behind each dialect alone, and each dialect behind one that fails. */
function configOf(simulatorUrl: string): string {
  const models: Record<string, object> = {};
  const at = (api: ApiName, model: string, id: string): object => ({ id, provider: `p-${id}`, model, api });
  for (const dialect of UPSTREAMS) {
    const api = apiOfDialect(dialect);
    for (const behaviour of BEHAVIOURS) models[`${api}/${behaviour}`] = { channels: [at(api, behaviour, 'a')] };
    for (const first of UPSTREAMS) {
      const failing = (name: string) => at(apiOfDialect(first), name, 'a');
      models[`${api}/after-${apiOfDialect(first)}`] = { channels: [failing('fail-503'), at(api, 'echo', 'b')] };
    }
  }
  const provider = { type: 'sim', base_url: simulatorUrl };
  return JSON.stringify({
    version: 1,
    providers: { 'p-a': provider, 'p-b': provider },
    credentials: {
      // Whoever signs needs both halves; everybody else takes any key.
      'c-a': { provider: 'p-a', secret: SECRET },
      'c-b': { provider: 'p-b', secret: SECRET },
    },
    models,
    workspaces: { main: {} },
    keys: [{ name: 'matrix', workspace: 'main', secret: KEY }],
    health: { circuit: { min_calls: 1_000_000, consecutive: 1_000_000 } },
  });
}

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let gateway: TestGateway;

beforeAll(async () => {
  simulator = await startSimulator({ name: 'all', script: { models: {} } });
  gateway = await startTestGateway(configOf(simulator.url));
});

afterAll(async () => {
  await gateway.close();
  await simulator.close();
});

interface Told extends Neutral {
  readonly answer: RawAnswer;
  record(): Promise<RequestRecord>;
}

async function tell(client: Client, ask: Ask, headers: Record<string, string> = {}): Promise<Told> {
  const answer = await sendRaw({
    url: gateway.url + client.path(ask),
    method: 'POST',
    body: client.body(ask),
    headers: { authorization: `Bearer ${KEY}`, ...client.headers, ...headers },
  });
  const isStream = ask.stream === true && answer.status === 200;
  const neutral = isStream ? client.readStream(answer.text) : client.readWhole(answer.text);
  return { ...neutral, answer, record: () => gateway.record(String(answer.headers['x-request-id'])) };
}

/** The body the simulator got last. */
function sent(): string {
  return String(simulator.calls.at(-1)!.body);
}

/** What holds opaque reasoning, upstream by upstream. */
const STATE_FIELDS = ['signature', 'redacted_thinking', 'encrypted_content', 'thoughtSignature', 'redactedContent'];
const DROPPED = 'dropped opaque reasoning';
/** Where a client's `nudged` has words nonetheless. */
const CARRIED: Readonly<Record<string, readonly string[]>> = { responses: ['chat'], messages: ['gemini'] };

const WORDS = 'Grüße, "world"! \u{1f600} line\nbreak \\ \u2028 end';
const TOOLS: readonly AskedTool[] = [
  {
    name: 'get_weather',
    schema:
      '{"type":"object","properties":{"city":{"type":"string"},"id":{"type":"integer","maximum":9007199254740993}},"required":["city","id"],"additionalProperties":false}',
  },
  {
    name: 'get_time',
    schema:
      '{"type":"object","properties":{"zone":{"type":"string"}},"required":["zone"],"additionalProperties":false}',
  },
];
const SCHEMA =
  '{"type":"object","properties":{"name":{"type":"string"},"count":{"type":"integer"}},"required":["name","count"],"additionalProperties":false}';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const pairs = CLIENTS.flatMap((client) => UPSTREAMS.map((dialect) => ({ client, api: apiOfDialect(dialect) })));

describe.each(pairs.map(({ client, api }) => ({ client, api, title: `${client.name} → ${api}` })))(
  '$title',
  ({ client, api }) => {
    const isNative = client.name === (api === 'gemini' ? 'generate' : api);
    const ask = (behaviour: Behaviour, more: Partial<Ask> = {}): Promise<Told> =>
      tell(client, { model: `${api}/${behaviour}`, text: WORDS, ...more });

    describe.each([false, true])('stream %s', (stream) => {
      it('text, model, finish and counts (R-3, dialects §11)', async () => {
        const told = await ask('echo', { stream, system: 'Say it again.' });
        expect(told.answer.status).toBe(200);
        expect(told).toMatchObject({ text: WORDS, finish: 'stop', model: `${api}/echo`, ended: true, error: null });
        const record = await told.record();
        expect(record.ending).toBe('served');
        expect(told.usage).toEqual({ input: record.usage?.input_tokens, output: record.usage?.output_tokens });
        expect(told.usage?.output).toBeGreaterThan(0);
      });

      it('a dialect as strict as its newest models takes what is written', async () => {
        const told = await ask('strict-echo', { stream, system: 'Say it again.', maxTokens: 500 });
        expect([told.answer.status, told.text]).toEqual([200, WORDS]);
      });

      it('parallel calls, their results, and what follows (dialects §11)', async () => {
        const asked = { stream, tools: TOOLS };
        const first = await ask('tools', asked);
        expect(first).toMatchObject({ finish: 'tool_calls', ended: true, error: null });
        expect(first.calls.map(({ name }) => name)).toEqual(['get_weather', 'get_time']);
        for (const { args } of first.calls) expect(JSON.parse(args)).toBeTypeOf('object');
        expect(new Set(first.calls.map(({ id }) => id)).size).toBe(2);
        // One dialect tells calls whole.
        if (stream && client.name !== 'generate' && api !== 'gemini') expect(first.fragments).toBeGreaterThan(3);
        expect(sent()).toContain('9007199254740993');
        const results = first.calls.map(({ id, name }) => ({ id, name, text: `${name}: fine` }));
        const second = await ask('tools', { ...asked, past: { said: first.said, results } });
        expect(second.answer.status).toBe(200);
        expect(second).toMatchObject({ finish: 'stop', ended: true, calls: [] });
        expect(second.text).not.toBe('');
        for (const { text } of results) expect(sent()).toContain(text);
      });

      it('a schema is kept to', async () => {
        const told = await ask('json', { stream, schema: SCHEMA });
        expect(told.answer.status).toBe(200);
        expect(JSON.parse(told.text)).toMatchObject({ name: expect.any(String), count: expect.any(Number) });
      });

      it('an image gets there', async () => {
        const told = await ask('echo', { stream, image: PNG });
        expect([told.answer.status, told.text]).toEqual([200, WORDS]);
        expect(sent()).toContain(PNG);
      });

      it('reasoning is shown, and its state goes back only to its maker (R-5)', async () => {
        const asked = { stream, reasoning: true, maxTokens: 8000 };
        const first = await ask('reasoning', asked);
        expect(first.answer.status).toBe(200);
        expect(first.text).not.toBe('');
        expect(first.reasoning).not.toBe('');
        const second = await ask('reasoning', { ...asked, past: { said: first.said, results: [] } });
        expect(second.answer.status).toBe(200);
        expect(second.text).not.toBe('');
      });

      it.each(UPSTREAMS.map(apiOfDialect))('thoughts of %s in its history are no trouble here (R-5)', async (maker) => {
        const asked = { stream, text: WORDS, reasoning: true, maxTokens: 8000 };
        for (const behaviour of ['reasoning', 'sealed']) {
          const first = await tell(client, { ...asked, model: `${maker}/${behaviour}` });
          const past = { said: first.said, results: [] };
          const second = await tell(client, { ...asked, model: `${api}/reasoning`, past });
          expect(second.answer.status).toBe(200);
          const { changes } = (await second.record()).attempts[0]!;
          const state = STATE_FIELDS.filter((field) => sent().includes(`"${field}"`));
          // The state of words is left out of streams to Messages clients; its maker asks for none.
          if (client.name === 'messages' && maker === 'gemini' && stream) continue;
          // Only the vendor that made it gets it back; what Chat says of thoughts is not meant to come back.
          if (maker === api && api !== 'chat')
            expect([state.length > 0, changes]).toEqual([true, expect.not.arrayContaining([DROPPED])]);
          else expect(state).toEqual([]);
        }
      });

      it('numbers beyond 2^53 in the arguments of old calls stay what they are', async () => {
        const said = client.saidCall('call_1', 'get_weather', '{"id":9007199254740993}');
        const results = [{ id: 'call_1', name: 'get_weather', text: 'fine' }];
        const told = await ask('tools', { stream, tools: TOOLS, past: { said, results } });
        expect([told.answer.status, told.finish]).toEqual([200, 'stop']);
        expect(sent()).toMatch(/id\\?":\s*9007199254740993/);
      });

      it('what is dropped is recorded and degrades; the report says so in its place (R-2, R-4)', async () => {
        const told = await ask('echo', { stream, nudged: true });
        expect([told.answer.status, told.text, told.ended]).toEqual([200, WORDS, true]);
        const record = await told.record();
        const { changes } = record.attempts[0]!;
        const carried = isNative || CARRIED[client.name]?.includes(api) === true;
        expect(changes.length > 0).toBe(!carried);
        expect([record.degraded, told.answer.headers['x-understudy-degraded']]).toEqual([!carried, String(!carried)]);
        expect(told.report?.['degraded'] ?? false).toBe(!carried);
      });

      it('a refusal is told, as a refusal or as the filter it looks like there (F-5)', async () => {
        const told = await ask('refusal', { stream });
        if (told.answer.status === 200)
          expect(told.ended && (told.refusal !== '' || told.text !== '' || told.finish === 'filtered')).toBe(true);
        else expect(told.answer.status).toBe(400);
      });

      it('a key gets the same answer again, byte for byte (I-4)', async () => {
        const key = { 'idempotency-key': `matrix-${client.name}-${api}-${stream}` };
        const first = await tell(
          client,
          { model: `${api}/reasoning`, text: WORDS, stream, reasoning: true, maxTokens: 8000 },
          key,
        );
        const calls = simulator.calls.length;
        const again = await tell(
          client,
          { model: `${api}/reasoning`, text: WORDS, stream, reasoning: true, maxTokens: 8000 },
          key,
        );
        expect(again.answer.headers['idempotent-replayed']).toBe('true');
        expect(again.answer.text).toBe(first.answer.text);
        expect(simulator.calls.length).toBe(calls);
      });

      it('an answer cut by its length is told as that, never as whole', async () => {
        const told = await ask('length', { stream });
        expect([told.answer.status, told.finish, told.ended]).toEqual([200, 'length', true]);
      });

      it('F-5: a filter is told as one: with its answer, or as an error where there is none', async () => {
        const told = await ask('filter', { stream });
        if (told.answer.status === 200) expect([told.finish, told.ended]).toEqual(['filtered', true]);
        else expect([told.answer.status, told.error?.message]).toEqual([400, expect.stringContaining('filter')]);
      });

      it.each(['fail-429', 'fail-500', 'fail-400', 'too-long'] as const)(
        'E-1: %s is told in the client’s dialect',
        async (behaviour) => {
          const told = await ask(behaviour, { stream });
          expect(told.answer.status).toBeGreaterThanOrEqual(400);
          expect(told.answer.headers['content-type']).toMatch(/json/);
          expect(told.error?.message).toBeTruthy();
          expect(told.text).toBe('');
        },
      );

      it.each(UPSTREAMS.map(apiOfDialect))('fails over from %s (D, T-2)', async (first) => {
        const told = await tell(client, { model: `${api}/after-${first}`, text: WORDS, stream });
        expect(told).toMatchObject({ text: WORDS, finish: 'stop', ended: true, error: null });
        expect((await told.record()).attempts).toHaveLength(2);
      });
    });

    it('D-5: an answer that was cut is asked for once more, with twice the room', async () => {
      const told = await ask('length', { maxTokens: 600, redundancy: { on_truncated: 'extend' } });
      expect([told.answer.status, told.finish]).toEqual([200, 'length']);
      expect((await told.record()).attempts).toHaveLength(2);
      expect(sent()).toMatch(/"max\w*okens":1200\b/);
    });

    it('T-9: held until it is whole: a stream that breaks off is no stream, a whole one is', async () => {
      const redundancy = { commit: 'complete' };
      const whole = await ask('echo', { stream: true, redundancy });
      expect([whole.answer.status, whole.text, whole.ended]).toEqual([200, WORDS, true]);
      const cut = await ask('cut-3', { stream: true, redundancy });
      expect(cut.answer.status).toBe(502);
      expect(cut.error?.message).toBeTruthy();
    });

    it('R-4, P-6: several answers, or where to stop, are refused where they cannot be had; nobody is called', async () => {
      const calls = simulator.calls.length;
      const refusals: (readonly [Partial<Ask>, readonly string[]])[] = [
        [{ n: 2 }, ['responses', 'messages', 'converse']],
        [{ stop: 'END' }, ['responses']],
      ];
      for (const [more, where] of refusals) {
        const said = client.body({ model: 'm', text: '', ...more }) !== client.body({ model: 'm', text: '' });
        if (!said || isNative || !where.includes(api)) continue;
        const told = await ask('echo', more);
        expect([told.answer.status, told.error?.message]).toEqual([400, expect.stringContaining('does not support')]);
        expect(simulator.calls.length).toBe(calls);
      }
    });

    it.each(['error-3', 'cut-3', 'reset-3', 'garbage-3', 'no-finish'] as const)(
      'T-4, T-5: %s ends in one error, never in a proper end',
      async (behaviour) => {
        const told = await ask(behaviour, { stream: true });
        const record = await told.record();
        // T-5: where both speak Chat, its terminator passes even without finish reason, marked.
        const passes = behaviour === 'no-finish' && client.name === 'chat' && api === 'chat';
        expect([told.ended, told.error !== null, record.ending !== 'served']).toEqual([passes, !passes, !passes]);
        expect(record.attempts[0]!.suspicious).toBe(passes);
      },
    );
  },
);

describe.each(
  CLIENTS.filter(({ name }) => ['chat', 'generate'].includes(name)).flatMap((client) =>
    (['chat', 'gemini'] as const).map((api) => ({ client, api, title: `${client.name} → ${api}` })),
  ),
)('two answers $title', ({ client, api }) => {
  it.each([false, true])('come whole, each with its end, stream %s (T-5, dialects §11)', async (stream) => {
    const told = await tell(client, { model: `${api}/echo`, text: WORDS, stream, n: 2 });
    expect(told.answer.status).toBe(200);
    const events = stream
      ? told.answer.text
          .split(/\r?\n\r?\n/)
          .filter((event) => event.startsWith('data: {'))
          .map((event) => event.slice(6))
      : [told.answer.text];
    const finished = new Map<number, string>();
    const texts = new Map<number, string>();
    for (const event of events) {
      const { choices, candidates } = JSON.parse(event) as { choices?: Entry[]; candidates?: Entry[] };
      for (const entry of choices ?? candidates ?? []) {
        const index = entry.index ?? 0;
        const said =
          entry.message?.content ??
          entry.delta?.content ??
          entry.content?.parts?.map(({ text }) => text ?? '').join('') ??
          '';
        texts.set(index, (texts.get(index) ?? '') + said);
        const finish = entry.finish_reason ?? entry.finishReason;
        if (finish) finished.set(index, finish.toLowerCase());
      }
    }
    expect([...texts].sort()).toEqual([
      [0, WORDS],
      [1, WORDS],
    ]);
    expect([...finished].sort()).toEqual([
      [0, 'stop'],
      [1, 'stop'],
    ]);
    expect((await told.record()).attempts[0]!.suspicious).toBe(false);
  });
});

interface Entry {
  readonly index?: number;
  readonly message?: { readonly content: string };
  readonly delta?: { readonly content?: string };
  readonly content?: { readonly parts?: readonly { readonly text?: string }[] };
  readonly finish_reason?: string | null;
  readonly finishReason?: string;
}

describe.each(CLIENTS.filter(({ name }) => name !== 'messages').map((client) => ({ client, name: client.name })))(
  'words without counterpart → $name',
  ({ client }) => {
    it.each([false, true])(
      'a pause is told as a cut, and that it is one is recorded, stream %s (R-4)',
      async (stream) => {
        const told = await tell(client, { model: 'messages/ok:finish-pause-turn', text: WORDS, stream });
        expect([told.answer.status, told.finish, told.ended]).toEqual([200, 'length', true]);
        const record = await told.record();
        expect([record.degraded, told.report?.['degraded']]).toEqual([true, true]);
        expect(record.degraded_reasons).toContain('answer');
        expect(record.attempts[0]!.changes.join()).toContain('pause_turn');
      },
    );
  },
);

describe.each(UPSTREAMS.map(apiOfDialect))('a stream as one array → %s', (api) => {
  const ask = (behaviour: Behaviour, more: Partial<Ask> = {}): Promise<Told> =>
    tell(generateArray, { model: `${api}/${behaviour}`, text: WORDS, stream: true, ...more });

  it('text and calls, ended by its bracket', async () => {
    expect(await ask('echo')).toMatchObject({ text: WORDS, finish: 'stop', ended: true });
    const told = await ask('tools', { tools: TOOLS });
    expect([told.finish, told.calls.length]).toEqual(['tool_calls', 2]);
  });

  it('T-4: this form has no words for a break: the connection is reset', async () => {
    const broken = tell(generateArray, { model: `${api}/cut-3`, text: WORDS, stream: true });
    await expect(broken).rejects.toThrow('JSON');
    const record = (await gateway.records(1))[0];
    expect(record?.ending).toBe('interrupted');
  });
});
