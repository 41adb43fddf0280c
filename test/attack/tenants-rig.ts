/** One gateway shared by two workspaces that distrust each other, before an upstream made of plain sockets. */
import type { StartOptions } from '../../src/assemble.ts';
import { AdminE2e, fileConfig } from '../e2e/admin-rig.ts';
import { chatRequest, sendRaw } from '../faults/raw-client.ts';
import { type RawCall, type RawUpstream, startRawUpstream } from './raw-upstream.ts';

/** The platform's credential for the provider `up`. */
export const PLATFORM_SECRET = 'sk-proj-Ab12Cd34Ef56Gh78';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Parsed; empty where it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface TenantsRig {
  readonly admin: AdminE2e;
  readonly upstream: RawUpstream;
  /** `who`: `acme` or `beta` for the admin of that workspace, else a token or key. */
  as(who: string, method: string, path: string, body?: object): Promise<Answer>;
  ask(key: string, fields?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** A new client key of a workspace. */
  newKey(workspace: 'acme' | 'beta', name: string, more?: object): Promise<string>;
  close(): Promise<void>;
}

/** @param more lies over the configuration file: `ok` is the model, `up` its provider */
export async function startTenants(
  answer: (call: RawCall) => void,
  more: object = {},
  start: Partial<StartOptions> = {},
): Promise<TenantsRig> {
  const upstream = await startRawUpstream(answer);
  const admin = await AdminE2e.make();
  const config = fileConfig({
    providers: { up: { type: 'openai-compatible', base_url: `${upstream.url}/v1` } },
    credentials: { platform: { provider: 'up', secret: PLATFORM_SECRET } },
    network: { allow_private: ['127.0.0.1'] },
    workspaces: { filed: {}, acme: {}, beta: {} },
    ...more,
  });
  await admin.start(config, start);
  const tokens = new Map<string, string>();
  const as: TenantsRig['as'] = async (who, method, path, body) => {
    const got = await sendRaw({
      url: `${admin.gateway.url}${path}`,
      method,
      headers: { authorization: `Bearer ${tokens.get(who) ?? who}` },
      ...(body === undefined ? {} : { body }),
    });
    return { status: got.status ?? 0, text: got.text, headers: got.headers, body: parsed(got.text) };
  };
  for (const workspace of ['acme', 'beta']) {
    const member = { name: `${workspace}-admin`, role: 'workspace_admin', workspace };
    tokens.set(workspace, String((await admin.admin('POST', '/members', member)).body['token']));
  }
  return {
    admin,
    upstream,
    as,
    ask: (key, fields = {}) => as(key, 'POST', '/v1/chat/completions', chatRequest('ok', fields)),
    newKey: async (workspace, name, fields = {}) =>
      String((await as(workspace, 'POST', '/admin/v1/keys', { name, ...fields })).body['secret']),
    close: async () => {
      await admin.remove();
      await upstream.close();
    },
  };
}

function parsed(text: string): Answer['body'] {
  try {
    return JSON.parse(text) as Answer['body'];
  } catch {
    return {};
  }
}
