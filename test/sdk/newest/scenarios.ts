/** The scenarios: each client library before each kind of upstream. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { APIS, type Api, type Behaviour, crossingConfig, FAILURES, modelOf, rescuedModel } from '../crossing-config.ts';
import { type Host, startHost } from './host.ts';
import { type Ask, type ClientFactory, type NeutralClient, PIXEL, type Told } from './neutral.ts';

const SAID = 'Say these seven words back to me.';
/** Longer than the least limit that some upstreams take. */
const LONG =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen';
const MOST = 16;
const WAYS = [
  ['whole', false],
  ['streamed', true],
] as const;

/** Declares the tests of one client library. */
export function crossing(title: string, factory: ClientFactory): void {
  describe(title, () => {
    let host: Host;
    let client: NeutralClient;
    before(async () => {
      host = await startHost(crossingConfig('SIMULATOR_URL'));
      client = factory(host.rig);
    });
    after(() => host.stop());
    beforeEach(() => host.rig.forget());

    for (const api of APIS) {
      describe(`before ${api}`, () => {
        for (const [way, stream] of WAYS) {
          it(`T-2: text, ${way}, with its model and its usage`, () => text(client, modelOf(api, 'echo'), stream));
          it(`T-8: two calls at once, ${way}, answered in the next turn`, () => calls(client, api, 'tools', stream));
          it(`T-8: the same of the newest models, ${way}`, () => calls(client, api, 'strict', stream));
          it(`R-4: an object under a schema, ${way}`, () => object(client, api, stream));
          it(`R-4: an answer cut by its limit says so, ${way}`, () => limited(client, api, stream));
          it(`R-5: thoughts, ${way}, and what only their maker can read goes back`, () =>
            thoughts(client, api, stream));
          it(`E-1: errors before the answer, ${way}`, () => errors(client, api, stream));
        }
        it('R-4: a picture reaches the upstream', async () => picture(client, host, api));
        it('T-4: a stream that breaks never looks whole', () => breaks(client, api));
        for (const to of APIS) {
          it(`D-1: failover to ${to}, unseen`, () => failover(client, host, api, to));
        }
      });
    }
  });
}

function whole(told: Told): void {
  assert.equal(told.finish, 'stop');
  assert.equal(told.calls.length, 0);
}

async function text(client: NeutralClient, model: string, stream: boolean): Promise<void> {
  const told = await client.ask({ model, text: SAID, stream });
  assert.equal(told.text, SAID);
  whole(told);
  if (stream) assert.ok(told.pieces > 2, `${told.pieces} pieces`);
  if (told.model !== null) assert.equal(told.model, model);
  const { usage } = told;
  const isInputKnown = !stream || client.countsInputEarly !== true;
  assert.ok(usage !== null && (usage.input > 0 || !isInputKnown) && usage.output > 0, JSON.stringify(usage));
  const again = await told.next('And again.');
  assert.equal(again.text, 'And again.');
}

async function calls(client: NeutralClient, api: Api, behaviour: Behaviour, stream: boolean): Promise<void> {
  const told = await client.ask({ model: modelOf(api, behaviour), text: SAID, stream, tools: true });
  assert.equal(told.finish, 'tool_calls');
  assert.deepEqual(told.calls, [
    { name: 'weather', args: { city: 'sim' } },
    { name: 'clock', args: { zone: 'sim' } },
  ]);
  const next = told.next('');
  if (client.answersApart === true && api === 'gemini') return assert.rejects(next, isRefused(client));
  const after = await next;
  // Told of its calls in words, because their signatures are gone, the simulated model calls once more.
  if (client.losesState === true && api === 'gemini' && behaviour === 'strict') return;
  assert.match(after.text, /\w/);
  whole(after);
}

/** Passed on byte for byte, and refused by the upstream itself. */
function isRefused(client: NeutralClient): (error: unknown) => boolean {
  return (error) => client.statusOf(error) === 400;
}

async function object(client: NeutralClient, api: Api, stream: boolean): Promise<void> {
  if (stream && !client.streamsObjects) return;
  const told = await client.ask({ model: modelOf(api, 'plain'), text: SAID, stream, schema: true });
  assert.deepEqual(told.object, { mood: 'sim', certainty: 1 });
}

async function limited(client: NeutralClient, api: Api, stream: boolean): Promise<void> {
  const told = await client.ask({ model: modelOf(api, 'echo'), text: LONG, stream, most: MOST });
  assert.equal(told.finish, 'length');
  assert.equal(told.text, LONG.split(' ').slice(0, MOST).join(' '));
}

async function thoughts(client: NeutralClient, api: Api, stream: boolean): Promise<void> {
  const ask: Ask = { model: modelOf(api, 'thinks'), text: SAID, stream, thinks: true };
  const told = await client.ask(ask);
  assert.match(told.text, /\w/);
  whole(told);
  // Chat has no place for them at an upstream that speaks it but the vendors' own field.
  if (client.showsThoughts) assert.match(told.thoughts, /\w/);
  whole(await told.next('Go on.'));
  const sealed = await client.ask({ ...ask, model: modelOf(api, 'sealed') });
  whole(await sealed.next('Go on.'));
  // With calls in between, the state belongs to the turn that is not over yet.
  const called = await client.ask({ ...ask, model: modelOf(api, 'calls'), tools: true });
  assert.equal(called.calls.length, 2);
  const next = called.next('');
  if (client.answersApart === true && api === 'gemini') return assert.rejects(next, isRefused(client));
  whole(await next);
}

async function errors(client: NeutralClient, api: Api, stream: boolean): Promise<void> {
  for (const [behaviour, status] of [
    ['refused', 400],
    ['down', 503],
  ] as const) {
    await assert.rejects(
      client.ask({ model: modelOf(api, behaviour), text: SAID, stream }),
      (error) => client.statusOf(error) === status || assert.fail(`${behaviour}: ${client.statusOf(error)} ${error}`),
    );
  }
}

async function picture(client: NeutralClient, host: Host, api: Api): Promise<void> {
  if (!client.takesImages) return;
  const told = await client.ask({ model: modelOf(api, 'echo'), text: SAID, stream: false, image: PIXEL });
  assert.equal(told.text, SAID);
  const bodies = await host.rig.bodies();
  assert.ok(bodies.at(-1)?.includes(PIXEL), bodies.at(-1));
}

async function breaks(client: NeutralClient, api: Api): Promise<void> {
  for (const behaviour of ['cut', 'broken'] as const) {
    let seen = '';
    const ask: Ask = { model: modelOf(api, behaviour), text: SAID, stream: true };
    if (client.deafToStreamErrors === true) {
      assert.doesNotMatch((await client.ask(ask)).finish, /^(stop|length|tool_calls)$/);
      continue;
    }
    const reading =
      client.watch?.(ask, (piece) => {
        seen += piece;
      }) ?? client.ask(ask).then(() => undefined);
    await assert.rejects(reading, behaviour);
    if (client.watch !== undefined) assert.match(seen, /\w/, behaviour);
  }
}

async function failover(client: NeutralClient, host: Host, from: Api, to: Api): Promise<void> {
  for (const fails of FAILURES) {
    for (const [, stream] of WAYS) {
      await host.rig.forget();
      const told = await client.ask({ model: rescuedModel(from, to, fails), text: SAID, stream });
      assert.equal(told.text, SAID, fails);
      whole(told);
      assert.equal((await host.rig.calls()).length, 2, fails);
    }
  }
}
