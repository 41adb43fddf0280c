/** How connections are made: plain, or only to addresses that were judged first (G-9), straight or through a proxy. */
import type { Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import type { NetworkRules } from '../../core/net/network-rules.ts';
import { guardedLookup, type ResolveAll, refusedLiteral, resolveGuarded } from './guarded-lookup.ts';

type Connector = buildConnector.connector;

/** `rules` null = anywhere. */
export function directConnector(timeout: number, rules: NetworkRules | null, resolve: ResolveAll): Connector {
  if (rules === null) return buildConnector({ timeout, allowH2: false });
  const connect = buildConnector({ timeout, allowH2: false, lookup: guardedLookup(rules, resolve) });
  return (options, callback) => {
    const refused = refusedLiteral(options.hostname, rules);
    if (refused === null) connect(options, callback);
    else queueMicrotask(() => callback(refused, null));
  };
}

/** A tunnel through a proxy to an address judged here: the proxy is told the address, so it has nothing to resolve. */
export interface Tunnel {
  readonly connect: Connector;
  close(): Promise<void>;
}

export function guardedTunnel(init: {
  readonly proxy: string;
  readonly timeout: number;
  readonly rules: NetworkRules;
  readonly resolve: ResolveAll;
}): Tunnel {
  const { rules, resolve, timeout } = init;
  const url = new URL(init.proxy);
  const client = new Client(url.origin, { connectTimeout: timeout, headersTimeout: timeout, allowH2: false });
  const secure = buildConnector({ timeout, allowH2: false });
  const authorization = basicAuth(url);

  async function open({ hostname, protocol, port }: buildConnector.Options): Promise<Socket> {
    const { address, family } = await resolveGuarded(hostname, rules, resolve);
    const target = `${family === 6 ? `[${address}]` : address}:${port || (protocol === 'https:' ? 443 : 80)}`;
    const headers = { host: target, ...(authorization === null ? {} : { 'proxy-authorization': authorization }) };
    const { socket, statusCode } = await client.connect({ path: target, headers });
    if (statusCode === 200) return socket as Socket;
    socket.on('error', () => undefined).destroy();
    throw new TunnelRefused(`the proxy answered ${statusCode}`);
  }

  return {
    connect(options, callback) {
      open(options).then(
        (socket) => {
          if (options.protocol === 'https:') secure({ ...options, httpSocket: socket }, callback);
          else callback(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    },
    close: () => client.destroy(),
  };
}

/** The proxy would not connect. */
class TunnelRefused extends Error {
  readonly code = 'TUNNEL_REFUSED';
}

function basicAuth({ username, password }: URL): string | null {
  if (username === '') return null;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
