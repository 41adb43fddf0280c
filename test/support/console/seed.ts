/** People, keys and traffic for the console to show, made as their owners would make them. */
import type { ConsoleGateway } from './console-gateway.ts';

export interface Seeded {
  /** Tokens: `ada` account admin, `grace` workspace admin of acme, `mia` member of acme. */
  readonly members: Readonly<Record<string, string>>;
  /** Client keys by name: `shop` and `mobile` of acme, `batch` of globex. */
  readonly keys: Readonly<Record<string, string>>;
  /** Request ids: `plain`, `streamed`, `channel`, `failover`, `degraded`, `failed`, `refused`, `cut`, `keyed`, `other` (globex). */
  readonly requests: Readonly<Record<string, string>>;
}

type Ground = Pick<ConsoleGateway, 'admin' | 'ask' | 'logged'>;

const PEOPLE = [
  { name: 'ada', role: 'account_admin' },
  { name: 'grace', role: 'workspace_admin', workspace: 'acme' },
  { name: 'mia', role: 'member', workspace: 'acme' },
] as const;
const KEYS = [
  { name: 'shop', workspace: 'acme', allow_rehearse: true, limits: { rpm: 600 } },
  { name: 'mobile', workspace: 'acme' },
  { name: 'batch', workspace: 'globex' },
] as const;

/** Fills a gateway. Everything it asked for is in the log when it resolves. */
export async function seed(ground: Ground): Promise<Seeded> {
  await ground.admin('POST', '/workspaces', {
    name: 'acme',
    default_model: 'nova-large',
    balance_usd: 250,
    virtual_models: { assistant: { models: ['nova-flash', 'nova-large'] } },
  });
  await ground.admin('POST', '/workspaces', { name: 'globex' });
  const members: Record<string, string> = {};
  for (const person of PEOPLE) members[person.name] = secretOf(await ground.admin('POST', '/members', person));
  const keys: Record<string, string> = {};
  for (const key of KEYS) keys[key.name] = secretOf(await ground.admin('POST', '/keys', key));
  await ground.admin('POST', '/credentials', {
    name: 'acme-own',
    provider: 'north',
    workspace: 'acme',
    kind: 'byok',
    secret: 'acme-north-secret',
  });
  return { members, keys, requests: await traffic(ground, keys) };
}

/** `secret` or `token` of an answer that made something. */
function secretOf(answer: Readonly<Record<string, unknown>>): string {
  const secret = answer['secret'] ?? answer['token'];
  if (typeof secret !== 'string') throw new Error(`no secret in ${Object.keys(answer).join(', ')}`);
  return secret;
}

async function traffic(ground: Ground, keys: Readonly<Record<string, string>>): Promise<Seeded['requests']> {
  const key = (name: string): string => keys[name] ?? '';
  const requests: Record<string, string> = {};
  for (let n = 0; n < 12; n++) await ground.ask(key('shop'), { model: 'nova-large' });
  requests['plain'] = await ground.ask(key('shop'), { model: 'nova-large' });
  requests['streamed'] = await ground.ask(key('mobile'), { model: 'nova-large', stream: true });
  requests['channel'] = await ground.ask(key('shop'), { model: 'nova-flash' });
  requests['degraded'] = await ground.ask(key('shop'), { model: 'assistant' });
  requests['failover'] = await ground.ask(key('shop'), { models: ['orca-mini', 'nova-large'] });
  await ground.ask(key('mobile'), { models: ['orca-large', 'nova-large'], stream: true });
  await ground.ask(key('mobile'), { models: ['tern-slow', 'nova-large'], stream: true });
  requests['cut'] = await ground.ask(key('mobile'), { model: 'tern-cut', stream: true });
  requests['failed'] = await ground.ask(key('batch'), { model: 'orca-large' });
  requests['refused'] = await ground.ask(key('shop'), { model: 'nowhere' });
  requests['keyed'] = await ground.ask(key('shop'), { model: 'nova-large' }, { 'idempotency-key': 'order-4711' });
  await ground.ask(key('shop'), { model: 'nova-large' }, { 'idempotency-key': 'order-4711' });
  requests['other'] = await ground.ask(key('batch'), { model: 'nova-large' });
  for (const id of Object.values(requests)) await ground.logged(id);
  return requests;
}
