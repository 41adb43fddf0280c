/** Addresses in a request that somebody is asked to fetch: files by URL, servers of tools (G-9). */
import { type BodyView, decodeString } from '../bytes/body-view.ts';
import { objectsIn } from '../bytes/nested.ts';
import { walkStrings } from '../bytes/walk-strings.ts';
import type { SuppliedUrl } from '../contract.ts';
import { objectGiven } from './fields.ts';
import { eachFile, isStored } from './file-places.ts';

/** Members of a tool that hold an address it is reached at. */
const TOOL_KEYS: ReadonlySet<string> = new Set([
  'url',
  'uri',
  'serverUrl',
  'server_url',
  'apiEndpoint',
  'api_endpoint',
  'endpoint',
]);
/** Functions are described, not reached. */
const FUNCTIONS: ReadonlySet<string> = new Set(['functionDeclarations', 'function_declarations']);

/** No provider takes as many; each costs a microsecond or two, and bodies can hold millions. */
export const MAX_URLS = 10_000;

/** A scheme as readers of URLs see it: blanks and control characters in front, tabs and line breaks anywhere, don't count. */
const URL_START = /^[\0-\x20]*[a-z][\t\n\r]*(?:[a-z0-9+.-][\t\n\r]*)*:/i;

/** `data:` URLs and what is stored at the upstream account aside. Null = more than `MAX_URLS`. */
export function suppliedUrls(view: BodyView): readonly SuppliedUrl[] | null {
  const found: SuppliedUrl[] = [];
  let looked = 0;
  const note = (url: string, param: string): void => {
    looked++;
    if (looked <= MAX_URLS && URL_START.test(url) && !/^\s*data:/i.test(url)) found.push({ param, url });
  };
  eachFile(view, (uri, param) => {
    if (!isStored(uri)) note(uri, param);
  });
  eachToolAddress(view, note);
  return looked > MAX_URLS ? null : found;
}

/** Functions, which are most tools, are not even looked into. */
function eachToolAddress(view: BodyView, visit: (url: string, param: string) => void): void {
  const single = objectGiven(view, 'tools');
  for (const [at, tool] of (single === null ? objectsIn(view, 'tools') : [single]).entries()) {
    for (const { key, valueStart, valueEnd } of tool.members) {
      if (FUNCTIONS.has(key)) continue;
      walkStrings(view.bytes, valueStart, valueEnd, (place, start, end) => {
        if (TOOL_KEYS.has(place.innerKey ?? '')) visit(decodeString(view.bytes, start, end), `tools[${at}]`);
      });
    }
  }
}
