/** `/console`: the web console as it was built, from memory (interface: console). It holds nothing secret; its API does. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ConsoleFile, type ConsoleFiles, ENCODINGS, type Encoding } from './console-files.ts';
import { CONSOLE_HEADERS, pagePolicy } from './page-headers.ts';

export interface ConsoleParts {
  /** Read at the start; null = it has not been built. */
  readonly files: Promise<ConsoleFiles | null>;
}

/** Files under it carry a hash of their content in their name: a browser need never ask again. */
const HASHED = 'assets/';
const KEPT_FOR_EVER = 'public, max-age=31536000, immutable';
const ASKED_AGAIN = 'no-cache';
const PLACE_OF_NONCE = /__CSP_NONCE__/g;

export function registerConsole(app: FastifyInstance, { files }: ConsoleParts): void {
  app.get('/', (request, reply) => atRoot(request, reply));
  app.get('/console', (request, reply) => {
    const [path = '', query] = request.url.split('?', 2);
    // The router takes `/console/` for the same path.
    return path.endsWith('/') ? serve(files, '', request, reply) : moved(reply, query);
  });
  app.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
    return serve(files, request.params['*'], request, reply);
  });
}

/** People are shown the console; whoever calls the API is told what it always was. */
function atRoot(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  if (/\btext\/html\b/i.test(request.headers.accept ?? '')) return moved(reply, undefined);
  reply.callNotFound();
  return undefined;
}

function moved(reply: FastifyReply, query: string | undefined): FastifyReply {
  const to = `/console/${query === undefined ? '' : `?${query}`}`;
  return reply.headers({ ...CONSOLE_HEADERS, 'cache-control': 'no-store' }).redirect(to, 302);
}

/** A file of the build, or the page, which knows its own addresses. */
async function serve(
  built: Promise<ConsoleFiles | null>,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const console = await built;
  reply.headers(CONSOLE_HEADERS);
  if (console === null) return sendPage(reply.code(404), NOT_BUILT, pagePolicy(null));
  const file = console.files.get(path);
  if (file !== undefined) return sendFile(file, path, request, reply);
  // A file of another build: a page in its place would be taken for a broken script.
  if (path.startsWith(HASHED)) return sendPage(reply.code(404), GONE, pagePolicy(null));
  const nonce = randomBytes(16).toString('base64');
  return sendPage(reply, console.page.replace(PLACE_OF_NONCE, nonce), pagePolicy(nonce));
}

function sendPage(reply: FastifyReply, page: string, policy: string): FastifyReply {
  return reply
    .headers({ 'content-security-policy': policy, 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(page);
}

async function sendFile(
  file: ConsoleFile,
  path: string,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const encoding = encodingFor(file, headers['accept-encoding'] ?? '');
  const tag = `"${file.digest}-${encoding}"`;
  reply.headers({
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': path.startsWith(HASHED) ? KEPT_FOR_EVER : ASKED_AGAIN,
    etag: tag,
    vary: 'accept-encoding',
  });
  if (names(headers['if-none-match'] ?? '', tag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(file.type).send(await file.bytes(encoding));
}

/** The best one that the browser takes; as it is where it says nothing. */
function encodingFor(file: ConsoleFile, accepted: string): Encoding {
  const taken = new Set(
    accepted.split(',').flatMap((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      return parameters.some((text) => /^q=0(\.0*)?$/.test(text)) ? [] : [name];
    }),
  );
  return ENCODINGS.find((one) => one === 'identity' || (file.encodings.has(one) && taken.has(one)))!;
}

/** `If-None-Match`: compared weakly, as RFC 9110 says. */
function names(header: string, tag: string): boolean {
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
}

const NOT_BUILT = pageSaying(
  'The console is not built',
  'This gateway runs from its sources, and its console has not been built yet: run <code>npm run build</code>, then start the gateway again.',
);
const GONE = pageSaying(
  'This file is gone',
  'It belongs to another version of the console: <a href="/console/">load the console again</a>.',
);

/** Texts of ours alone. */
function pageSaying(title: string, text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`;
}
