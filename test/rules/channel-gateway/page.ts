/**
 * The world that the page on failures and fallback describes: models with two channels, under each two credentials of the
 * workspace's own and one of the operator's, and a model the workspace falls back to.
 */
import OpenAI from 'openai';
import type { Step } from '../../../sim/index.ts';
import { errorStep, okBody } from '../../faults/answers.ts';
import { CLIENT_KEY, type RouteSpec } from '../../faults/gateway-config.ts';
import type { RawAnswer } from '../../faults/raw-client.ts';
import { type RulesRig, type RulesSettings, withRules } from '../rules-rig.ts';

export type Json = Record<string, unknown>;

/** A fault of the credential: the next one of the same channel is tried. */
export const LIMITED = errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' });
/** A fault of the channel: its other credentials are passed over, except under `permissive`. */
export const DOWN = errorStep(503, { message: 'down', code: 'server_error' });
export const FINE = okBody('fine');
/** What the official client asks with. */
export const HI: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'hi' }];
/** Enough for every target the page speaks of: by default there are six attempts, one kept for each model to come. */
export const ALL = { max_attempts: 20 };

/** The whole order for the model `m`, by the names of the credentials called. */
export const WHOLE_ORDER = ['m/a-own1', 'm/a-own2', 'm/a-platform', 'm/b-own1', 'm/b-own2', 'm/b-platform'];

/** What each channel answers, call by call, the last for ever; more fields of the channels as the file names them. */
export interface TwoChannels {
  readonly a: readonly Step[];
  readonly b: readonly Step[];
  readonly channelA?: Json;
  readonly channelB?: Json;
  readonly capabilities?: RouteSpec['capabilities'];
}

export interface World extends RulesSettings {
  /** Models with two channels `a` and `b` each. */
  readonly models: Readonly<Record<string, TwoChannels>>;
  /** What the default model `last` answers; null or absent: the workspace has none. */
  readonly last?: readonly Step[] | null;
  /** More fields of the workspace. */
  readonly workspace?: Json;
  /** More fields of single credentials, by name. */
  readonly credentials?: Readonly<Record<string, Json>>;
}

export interface Page extends RulesRig {
  /** Names of the credentials that the upstreams saw, in the order of the calls. */
  tried(): string[];
  /** The official client, and the statuses it was answered with. */
  client(maxRetries: number, key?: string): { readonly openai: OpenAI; readonly statuses: number[] };
}

/** Without words in it: texts that hold a part of a secret are masked. */
const secretOf = (name: string): string => `sk-${Buffer.from(name).toString('hex')}`;

function threeUnder(model: string, channel: 'a' | 'b', more: World['credentials']): [string, Json][] {
  const provider = `p-${model}-${channel}`;
  const entry = (owner: string, fields: Json): [string, Json] => {
    const name = `${model}/${channel}-${owner}`;
    return [name, { provider, secret: secretOf(name), ...fields, ...more?.[name] }];
  };
  // Not in the order to try: what the workspace set decides, not the place in the file.
  return [
    entry('own2', { kind: 'byok', workspace: 'main', order: 2 }),
    entry('platform', {}),
    entry('own1', { kind: 'byok', workspace: 'main', order: 1 }),
  ];
}

export async function withPage(world: World, body: (page: Page) => Promise<void>): Promise<void> {
  const { models, last = null, workspace, credentials: more, over, ...settings } = world;
  const routes: Record<string, RouteSpec> = {};
  const credentials: Record<string, Json> = {};
  for (const [name, { a, b, channelA = {}, channelB = {}, capabilities }] of Object.entries(models)) {
    const channels = [
      { up: 'A', more: channelA },
      { up: 'B', more: channelB },
    ];
    routes[name] = { channels, up: { A: a, B: b }, ...(capabilities === undefined ? {} : { capabilities }) };
    for (const [id, entry] of [...threeUnder(name, 'a', more), ...threeUnder(name, 'b', more)]) {
      credentials[id.replace('/', '-')] = entry;
    }
  }
  if (last !== null) {
    routes['last'] = { up: { C: last } };
    credentials['last'] = { provider: 'p-last-c', secret: secretOf('last'), ...more?.['last'] };
  }
  const main = { ...(last === null ? {} : { default_model: 'last' }), ...workspace };
  await withRules(routes, (rig) => body(pageOver(rig, [...Object.keys(models), 'last'])), {
    ...settings,
    over: { credentials, workspaces: { main }, ...over },
  });
}

function pageOver(rig: RulesRig, models: readonly string[]): Page {
  const names = new Map(
    models
      .flatMap((model) =>
        ['', '/a-own1', '/a-own2', '/a-platform', '/b-own1', '/b-own2', '/b-platform'].map((s) => model + s),
      )
      .map((name) => [`Bearer ${secretOf(name)}`, name]),
  );
  return {
    ...rig,
    tried: () => rig.headersSent().map(({ authorization }) => names.get(String(authorization)) ?? 'nobody'),
    client: (maxRetries, key = CLIENT_KEY) => {
      const statuses: number[] = [];
      const counted: typeof fetch = async (...call) => {
        const answer = await fetch(...call);
        statuses.push(answer.status);
        return answer;
      };
      return { openai: new OpenAI({ baseURL: `${rig.url}/v1`, apiKey: key, maxRetries, fetch: counted }), statuses };
    },
  };
}

/** Status and code of an answer that is an error. */
export function refusal(answer: RawAnswer): [number | null, unknown] {
  return [answer.status, (JSON.parse(answer.text) as { error: Json }).error['code']];
}

/** Which model's answer it is. */
export const servedBy = (answer: RawAnswer): unknown => answer.headers['x-understudy-served-model'];
