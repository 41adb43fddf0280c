import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../../src/assemble.ts';
import { type RawAnswer, sendRaw } from '../../faults/raw-client.ts';
import { APIS, crossingConfig, rescuedModel } from '../crossing-config.ts';
import { AGENTS, type Agent, eventsOf, requestOf } from './agents.ts';

let simulator: Simulator;
let gateway: RunningGateway;
let dataDir: string;

beforeAll(async () => {
  simulator = await startSimulator({ seed: 4 });
  dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-agents-'));
  const configText = crossingConfig(simulator.url);
  gateway = await startGateway({ configText, port: 0, dataDir, env: {}, log: 'silent' });
});
afterAll(async () => {
  await gateway.close();
  await simulator.close();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => simulator.reset());

function send(agent: Agent, model: string, body?: object): Promise<RawAnswer> {
  const request = requestOf(agent, model);
  return sendRaw({ url: gateway.url + request.path, headers: request.headers, body: body ?? request.body });
}

/** Headers that belong to the connection or to every call. */
const USUAL = new Set(['host', 'connection', 'content-type', 'content-length', 'accept', 'transfer-encoding']);

describe.each(AGENTS.map((agent) => [agent.name, agent] as const))('%s', (_name, agent) => {
  it('T-8, G-10: its request passes untouched to an upstream of its own dialect, its own headers stay here', async () => {
    const model = `${agent.api}/tools`;
    const { status, headers } = await send(agent, model);
    expect([status, headers['x-understudy-degraded']]).toEqual([200, 'false']);
    const call = simulator.calls[0]!;
    const sent = requestOf(agent, model);
    const received = JSON.parse(call.body!.toString()) as object;
    expect({ ...received, model: '' }).toEqual({ ...sent.body, model: '' });
    for (const name of agent.passed) expect([name, call.headers[name]]).toEqual([name, sent.headers[name]]);
    const strangers = Object.keys(sent.headers).filter(
      (name) => !USUAL.has(name) && !agent.passed.includes(name) && call.headers[name] === sent.headers[name],
    );
    expect(strangers).toEqual([]);
  });

  it.each(APIS)('T-8, R-5: it works before %s: calls, their results, and words at the end', async (api) => {
    const model = `${api}/tools`;
    const first = await send(agent, model);
    expect([first.status, first.headers['content-type']?.split(';')[0]]).toEqual([200, 'text/event-stream']);
    const called = agent.read(eventsOf(first.text));
    // The simulator calls two tools; those in a namespace of Responses it leaves alone.
    expect([called.calls.length, called.ended === null]).toEqual([
      agent.api === 'responses' && api === 'responses' ? 1 : 2,
      false,
    ]);
    const second = await send(agent, model, called.next(requestOf(agent, model).body));
    const said = agent.read(eventsOf(second.text));
    expect([second.status, said.calls]).toEqual([200, []]);
    if (agent.printsLast) expect(said.endsInWords).toBe(true);
    expect(said.text).toMatch(/\w/);
  });

  it.each(APIS)('D-1: another model’s dialect steps in for %s, unseen', async (api) => {
    for (const to of APIS) {
      const answer = await send(agent, rescuedModel(api, to, 'error'));
      const said = agent.read(eventsOf(answer.text));
      expect([to, answer.status, said.text, said.ended === null]).toEqual([
        to,
        200,
        expect.stringMatching(/hello/),
        false,
      ]);
    }
  });

  it.each(APIS)('T-4, E-1: failures before %s are told in its own words, and never look whole', async (api) => {
    const down = await send(agent, `${api}/down`);
    expect([down.status, JSON.parse(down.text)]).toMatchObject([503, { error: {} }]);
    const cut = await send(agent, `${api}/cut`);
    const said = agent.read(eventsOf(cut.text));
    expect([cut.status, said.ended]).toEqual([200, null]);
    expect(cut.text).toMatch(/stream_interrupted/);
  });
});
