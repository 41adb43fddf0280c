/** A gateway of the console in trouble: a model that is down and covered, one that speaks in markup. */
import { consoleConfig } from './console-config.ts';
import { type ConsoleGateway, startConsoleGateway } from './console-gateway.ts';
import { type HostileUpstream, MARKUP, startHostileUpstream } from './hostile-upstream.ts';

/** A model whose name is markup; names have no spaces, and markup needs none. */
export const HOSTILE_MODEL = MARKUP.replaceAll(' ', '/');

export interface TroubledGateway extends Pick<ConsoleGateway, 'url' | 'adminToken' | 'admin' | 'ask' | 'logged'> {
  /** Tokens by name; see `Seeded`. */
  readonly members: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, string>>;
  /** The last request that `nova-large` answered for `orca-large`. */
  readonly covered: string;
  close(): Promise<void>;
}

/** More than the failures in a row that open a circuit. */
const CALLS = 7;

/**
 * The seeded traffic, then `orca-large` down until its circuit is open (and open it stays: nobody waits in a test), each time
 * covered by `nova-large`; and one call to a model whose name and whose upstream's words are markup.
 */
export async function startTroubledGateway(): Promise<TroubledGateway> {
  const upstream: HostileUpstream = await startHostileUpstream();
  const { providers, credentials, models } = consoleConfig() as Record<string, object>;
  const gateway = await startConsoleGateway({
    config: {
      providers: { ...providers, hostile: { type: 'openai', base_url: upstream.url } },
      credentials: { ...credentials, 'hostile-main': { provider: 'hostile', secret: 'hostile-secret-1' } },
      models: { ...models, [HOSTILE_MODEL]: { channels: [{ id: 'hostile', provider: 'hostile', model: 'h' }] } },
      health: { circuit: { open_ms: 3_600_000 } },
    },
  });
  const batch = gateway.seeded.keys['batch'] ?? '';
  let covered = '';
  for (let n = 0; n < CALLS; n++) covered = await gateway.ask(batch, { models: ['orca-large', 'nova-large'] });
  await gateway.logged(await gateway.ask(batch, { models: [HOSTILE_MODEL, 'nova-large'] }));
  await gateway.logged(covered);
  return {
    url: gateway.url,
    adminToken: gateway.adminToken,
    members: gateway.seeded.members,
    keys: gateway.seeded.keys,
    covered,
    admin: (method, path, body) => gateway.admin(method, path, body),
    ask: (key, body, headers) => gateway.ask(key, body, headers),
    logged: (id) => gateway.logged(id),
    close: async () => {
      await gateway.close();
      await upstream.close();
    },
  };
}
