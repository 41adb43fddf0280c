/** The headers of one upstream call: only what the provider's row and the operator set (G-10). */
import type { IncomingHttpHeaders } from 'node:http';
import type { CredentialEntry, ProviderEntry } from '../config/snapshot.ts';
import { regionOf } from '../providers/addresses.ts';
import { authOf, type SigningOrder } from '../providers/auth.ts';
import { MESSAGES_VERSION, MESSAGES_VERSION_HEADER } from '../providers/headers.ts';
import type { Way } from './way.ts';

const USER_AGENT = 'understudy/0.1';
const JSON_TYPE = 'application/json';

/** What of a call its headers depend on. */
export interface Heading {
  readonly way: Way;
  readonly provider: ProviderEntry;
  /** Null = nothing is shown. */
  readonly credential: CredentialEntry | null;
  /** Of the body; absent = JSON. */
  readonly contentType?: string | undefined;
  readonly stream: boolean;
  readonly clientHeaders: IncomingHttpHeaders;
}

export interface Headed {
  /** Name, value, name, value. */
  readonly headers: string[];
  /** What has still to be done to show the credential; null = it is in the headers. */
  readonly order: SigningOrder | null;
}

export function upstreamHeaders(heading: Heading): Headed {
  const { way, provider, credential, stream } = heading;
  const list = ['content-type', heading.contentType ?? JSON_TYPE, 'accept', stream ? way.streamType : way.wholeType];
  list.push('user-agent', USER_AGENT);
  // The operator's headers may hold the operator's secrets: not for an address that a workspace chose.
  const own = credential?.baseUrl == null ? provider.headers : NO_HEADERS;
  const version = way.versioned ? versionOf(heading, own) : MESSAGES_VERSION;
  const order = credential === null ? null : showCredential(list, heading, credential, version);
  for (const [name, value] of Object.entries(own)) list.push(name, value);
  if (way.versioned && own[MESSAGES_VERSION_HEADER] === undefined) list.push(MESSAGES_VERSION_HEADER, version);
  for (const name of way.forward) {
    const value = heading.clientHeaders[name];
    // The operator's own stands for all.
    if (typeof value === 'string' && own[name] === undefined) list.push(name, value);
  }
  return { headers: list, order };
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** The operator's, else the client's where it speaks to its own vendor's dialect, else the one that everybody knows. */
function versionOf({ way, clientHeaders }: Heading, own: Readonly<Record<string, string>>): string {
  const asked = way.native ? clientHeaders[MESSAGES_VERSION_HEADER] : undefined;
  return own[MESSAGES_VERSION_HEADER] ?? (typeof asked === 'string' ? asked : MESSAGES_VERSION);
}

function showCredential(
  list: string[],
  { way, provider }: Heading,
  credential: CredentialEntry,
  version: string,
): SigningOrder | null {
  const secret = credential.secret.reveal();
  if (provider.auth === 'bearer') {
    list.push('authorization', `Bearer ${secret}`);
    return null;
  }
  const region = regionOf(provider.region, credential.baseUrl ?? provider.baseUrl);
  const operators = credential.kind === 'platform';
  const { header, order } = authOf({ auth: provider.auth, dialect: way.dialect, version, region, operators }, secret);
  if (header !== null) list.push(header[0], header[1]);
  return order;
}
