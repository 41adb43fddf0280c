/** A gateway over three simulators under any configuration: the routes' own, with parts laid over it. */
import { startSimulator } from '../../sim/index.ts';
import type { RequestRecord } from '../../src/core/record.ts';
import type { Clock, Random } from '../../src/ports/clock.ts';
import { startTestGateway, type TestGateway } from '../faults/gateway.ts';
import { CLIENT_KEY, configText, type GatewaySettings, type RouteSpec } from '../faults/gateway-config.ts';
import { expectHonest } from '../faults/invariants.ts';
import { type RawAnswer, type RawRequest, sendRaw } from '../faults/raw-client.ts';

export const ADMIN_TOKEN = 'admin-token-0123456789abcdef';

type Json = Record<string, unknown>;
type Routes = Readonly<Record<string, RouteSpec>>;

export interface RulesSettings extends GatewaySettings {
  /** Beats the part of the same name. */
  readonly over?: Json;
  /** Fields for every provider. */
  readonly provider?: Json;
  /** The gateway's time, for tests that jump. */
  readonly clock?: Clock;
  /** The gateway's chance, for tests of what is drawn. */
  readonly random?: Random;
  /** The environment the gateway is started in. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface RulesRig {
  readonly url: string;
  readonly gateway: TestGateway;
  /** Sends a body to the Chat endpoint, or to another path; checks what holds for every answer. */
  post(body: Json | string, more?: Post): Promise<RawAnswer>;
  /** Asks one model with one message. */
  ask(model: string, fields?: Json, more?: Post): Promise<RawAnswer>;
  get(path: string, headers?: Record<string, string>): Promise<RawAnswer>;
  /** An admin GET, parsed. */
  admin(path: string): Promise<Json>;
  /** `A:m` = simulator A was called for upstream model m; in order of arrival. */
  called(): string[];
  /** Bodies the upstreams got, parsed, in order. */
  bodies(): Json[];
  /** Headers the upstreams got, in order. */
  headersSent(): Readonly<Record<string, unknown>>[];
  /** When the calls the gateway broke off were seen to be, in wall ms. */
  aborted(): number[];
  record(answer: RawAnswer): Promise<RequestRecord>;
  close(): Promise<void>;
}

export interface Post extends Partial<RawRequest> {
  readonly path?: string;
  /** Default the test key. */
  readonly key?: string;
}

export const MESSAGES = [{ role: 'user', content: 'hi' }];

export async function startRules(routes: Routes, settings: RulesSettings = {}): Promise<RulesRig> {
  const names = ['A', 'B', 'C'] as const;
  const simulators = await Promise.all(
    names.map((name) => startSimulator({ name, script: { models: scriptOf(name, routes) } })),
  );
  const urls = Object.fromEntries(names.map((name, at) => [name, simulators[at]!.url]));
  const { over, provider, clock, random, env = {}, ...plain } = settings;
  const config = { ...JSON.parse(configText(routes, urls, plain)), admin: { token: ADMIN_TOKEN }, ...over };
  for (const one of Object.values(config.providers as Record<string, Json>)) Object.assign(one, provider);
  const more = { ...(clock === undefined ? {} : { clock }), ...(random === undefined ? {} : { random }), env };
  const gateway = await startTestGateway(JSON.stringify(config), more);
  const calls = () => simulators.flatMap((one) => [...one.calls]).sort((a, b) => a.at - b.at);
  const post = async (body: Json | string, { path = '/v1/chat/completions', key = CLIENT_KEY, ...more }: Post = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...more.headers };
    const answer = await sendRaw({ url: gateway.url + path, body, ...more, headers });
    if (path === '/v1/chat/completions') expectHonest(answer);
    return answer;
  };
  return {
    url: gateway.url,
    gateway,
    post,
    ask: (model, fields = {}, more = {}) => post({ model, messages: MESSAGES, ...fields }, more),
    get: (path, headers = {}) =>
      sendRaw({ url: gateway.url + path, headers: { authorization: `Bearer ${CLIENT_KEY}`, ...headers } }),
    admin: async (path) => {
      const answer = await sendRaw({
        url: `${gateway.url}/admin${path}`,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      return JSON.parse(answer.text) as Json;
    },
    called: () => calls().map((call) => `${call.who}:${call.model}`),
    bodies: () => calls().map((call) => JSON.parse(String(call.body)) as Json),
    headersSent: () => calls().map((call) => call.headers),
    aborted: () => calls().flatMap(({ closedByPeerAt }) => (closedByPeerAt === null ? [] : [closedByPeerAt])),
    record: (answer) => gateway.record(String(answer.headers['x-request-id'])),
    close: async () => {
      await gateway.close();
      await Promise.all(simulators.map((one) => one.close()));
    },
  };
}

export async function withRules(
  routes: Routes,
  body: (rig: RulesRig) => Promise<void>,
  settings: RulesSettings = {},
): Promise<void> {
  const rig = await startRules(routes, settings);
  try {
    await body(rig);
  } finally {
    await rig.close();
  }
}

function scriptOf(upstream: string, routes: Routes): Record<string, RouteSpec['up'][string]> {
  const models: Record<string, RouteSpec['up'][string]> = {};
  for (const [name, route] of Object.entries(routes)) {
    const steps = route.up[upstream];
    const spec = route.channels?.find((channel) => typeof channel !== 'string' && channel.up === upstream);
    if (steps !== undefined && steps.length > 0) models[(typeof spec === 'object' && spec.model) || name] = steps;
  }
  return models;
}

/** The parsed body of an answer. */
export function jsonOf(answer: RawAnswer): Json {
  return JSON.parse(answer.text) as Json;
}
