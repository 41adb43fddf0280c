/** Paths of what lives upstream and is asked for by its id (P-8): videos and stored answers. */
import type { ClientDialectName, Operation } from '../core/wire-names.ts';
import { boundCodec } from '../dialects/plain/bound-codec.ts';
import type { BoundCall } from '../runtime/bound-call.ts';
import type { DataRoute } from '../runtime/reception.ts';
import { TWIN } from './plain-routes.ts';

type Method = BoundCall['call']['method'];

interface Kind {
  readonly route: DataRoute;
  /** By what follows the id. */
  readonly calls: ReadonlyMap<string, readonly Method[]>;
  /** What comes as bytes, not as JSON. */
  readonly bytes: string | null;
}

function kind(endpoint: string, operation: Operation, dialect: ClientDialectName, name: string): DataRoute {
  return { endpoint, operation, codec: boundCodec(dialect, name), classic: false, crossesModels: false };
}

const KINDS: ReadonlyMap<string, Kind> = new Map([
  [
    'videos',
    {
      route: kind('videos', 'video', 'openai-chat', 'video'),
      calls: new Map<string, readonly Method[]>([
        ['', ['GET', 'DELETE']],
        ['/content', ['GET']],
      ]),
      bytes: '/content',
    },
  ],
  [
    'responses',
    {
      route: kind('responses', 'generate', 'openai-responses', 'response'),
      calls: new Map<string, readonly Method[]>([
        ['', ['GET', 'DELETE']],
        ['/cancel', ['POST']],
        ['/input_items', ['GET']],
      ]),
      bytes: null,
    },
  ],
]);

/** Whatever follows the id may be one of the above, or is not known here. */
const BELOW = /^\/(videos|responses)\/([^/]+)(\/[a-z_]+)?\/?$/;

/** What stands below the version; null = another path. */
function below(path: string): string | null {
  if (path.startsWith('/v1/')) return path.slice('/v1'.length);
  return path.startsWith(`${TWIN}/`) ? path.slice(TWIN.length) : null;
}

/** Lists of them: an account is shared by workspaces, and would show everybody's. */
export function isUnlisted(method: string, path: string): boolean {
  return method === 'GET' && /^\/videos\/?$/.test(below(path) ?? '');
}

interface Found {
  readonly kind: Kind;
  readonly id: string;
  readonly rest: string;
  readonly methods: readonly Method[];
}

function find(path: string): Found | null {
  const match = BELOW.exec(below(path) ?? '');
  const found = match === null ? undefined : KINDS.get(match[1]!);
  const rest = match?.[3] ?? '';
  const methods = found?.calls.get(rest);
  if (match === null || found === undefined || methods === undefined) return null;
  return { kind: found, id: decoded(match[2]!), rest, methods };
}

/** The methods of such a path, as `Allow` names them; null = it is none. */
export function boundMethodsOf(path: string): string | null {
  return find(path)?.methods.join(', ') ?? null;
}

/** @param path without its query. Null = no such call. */
export function boundCallOf(method: string | undefined, path: string, url: string): BoundCall | null {
  const found = find(path);
  const allowed = found?.methods.find((one) => one === method);
  if (found === null || allowed === undefined) return null;
  const { kind: of, id, rest } = found;
  const call = { method: allowed, path: `/${encodeURIComponent(id)}${rest}`, query: queryOf(url) };
  return { route: of.route, id, call, stream: rest !== '' && rest === of.bytes };
}

/** What the client asks beside; its key stays here (G-10), and versions are the address's own. */
function queryOf(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return '';
  const query = new URLSearchParams(url.slice(at + 1));
  for (const own of ['key', 'api-version']) query.delete(own);
  return query.toString();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
