/** One gateway before three simulators A, B, C, and a client that shows every byte. */
import type { Call, Simulator, Step } from '../../sim/index.ts';
import { startSimulator } from '../../sim/index.ts';
import type { RequestRecord } from '../../src/core/record.ts';
import { startTestGateway, type TestGateway, waitFor } from './gateway.ts';
import { CLIENT_KEY, configText, type GatewaySettings, type RouteSpec } from './gateway-config.ts';
import { expectHonest } from './invariants.ts';
import { chatRequest, type RawAnswer, type RawRequest, sendRaw } from './raw-client.ts';

export interface Rig {
  readonly url: string;
  readonly gateway: TestGateway;
  readonly upstreams: Readonly<Record<string, Simulator>>;
  /** Sends a Chat request for a route and checks what holds for every answer. */
  ask(route: string, fields?: Readonly<Record<string, unknown>>, more?: Partial<RawRequest>): Promise<RawAnswer>;
  /** The upstream calls for this upstream model, in the order in which they arrived. */
  calls(model: string): readonly Call[];
  /** Who was called, e.g. `A B`. */
  who(model: string): string;
  /** The request's record, by the answer's id. */
  record(answer: RawAnswer): Promise<RequestRecord>;
  close(): Promise<void>;
}

const NAMES = ['A', 'B', 'C'] as const;

/** Starts everything for the routes given. */
export async function startRig(
  routes: Readonly<Record<string, RouteSpec>>,
  settings: GatewaySettings = {},
): Promise<Rig> {
  const upstreams: Record<string, Simulator> = {};
  for (const name of NAMES) {
    upstreams[name] = await startSimulator({ name, script: { models: scriptFor(name, routes) } });
  }
  const baseUrls = Object.fromEntries(Object.entries(upstreams).map(([name, simulator]) => [name, simulator.url]));
  const gateway = await startTestGateway(configText(routes, baseUrls, settings));
  const calls = (model: string): Call[] =>
    Object.values(upstreams)
      .flatMap((simulator) => simulator.calls.filter((call) => call.model === model))
      .sort((a, b) => a.at - b.at);
  return {
    url: gateway.url,
    gateway,
    upstreams,
    calls,
    who: (model) =>
      calls(model)
        .map((call) => call.who)
        .join(' '),
    ask: async (route, fields = {}, more = {}) => {
      const answer = await sendRaw({
        url: `${gateway.url}/v1/chat/completions`,
        body: chatRequest(route, fields),
        ...more,
        headers: { authorization: `Bearer ${CLIENT_KEY}`, ...more.headers },
      });
      expectHonest(answer);
      return answer;
    },
    record: (answer) => gateway.record(String(answer.headers['x-request-id'])),
    close: async () => {
      await gateway.close();
      await Promise.all(Object.values(upstreams).map((simulator) => simulator.close()));
    },
  };
}

/** A route's upstreams get its steps under its name, or under the name its channel uses. */
function scriptFor(upstream: string, routes: Readonly<Record<string, RouteSpec>>): Record<string, readonly Step[]> {
  const models: Record<string, readonly Step[]> = {};
  for (const [name, route] of Object.entries(routes)) {
    const steps = route.up[upstream];
    if (steps === undefined || steps.length === 0) continue;
    const spec = route.channels?.find((channel) => typeof channel !== 'string' && channel.up === upstream);
    models[(typeof spec === 'object' && spec.model) || name] = steps;
  }
  // A simulator without a script answers; one with an odd name in its script answers all others too.
  return models;
}

/** Runs `body` with a rig of its own. */
export async function withRig(
  routes: Readonly<Record<string, RouteSpec>>,
  body: (rig: Rig) => Promise<void>,
  settings: GatewaySettings = {},
): Promise<void> {
  const rig = await startRig(routes, settings);
  try {
    await body(rig);
  } finally {
    await rig.close();
  }
}

/** Waits until something is so. */
export function until(holds: () => boolean, what: string): Promise<true> {
  return waitFor(() => (holds() ? true : null), what);
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The content of a whole answer. */
export function contentOf(answer: RawAnswer): unknown {
  return JSON.parse(answer.text).choices[0].message.content;
}
