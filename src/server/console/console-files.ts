/**
 * The built console, read once: what is not in the listing of its folder is not there, whatever a path says, and a build that
 * comes later does not mix with pages that are open.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Encodings a file is served in; the best for the browser first. */
export const ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface ConsoleFile {
  readonly type: string;
  /** Of its content; quoted by whoever sends it. */
  readonly digest: string;
  /** Null = as it is: too small, or compressed already. */
  readonly encodings: ReadonlySet<Encoding>;
  /** Compressed when first asked for, then kept. */
  bytes(encoding: Encoding): Promise<Buffer>;
}

export interface ConsoleFiles {
  /** The page, with `__CSP_NONCE__` where the nonce of an answer belongs. */
  readonly page: string;
  /** By path below `/console/`: `assets/…`. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
}

const PAGE = 'index.html';
/** What a build may hold, and what of it is text. Others, source maps among them, are not served. */
const TYPES: ReadonlyMap<string, readonly [type: string, isText: boolean]> = new Map([
  ['.js', ['text/javascript; charset=utf-8', true]],
  ['.css', ['text/css; charset=utf-8', true]],
  ['.json', ['application/json', true]],
  ['.svg', ['image/svg+xml', true]],
  ['.webmanifest', ['application/manifest+json', true]],
  ['.txt', ['text/plain; charset=utf-8', true]],
  ['.png', ['image/png', false]],
  ['.ico', ['image/x-icon', false]],
  ['.woff2', ['font/woff2', false]],
]);
/** A folder that is no build of ours must not fill the memory. */
const MOST_FILES = 2000;
const MOST_BYTES = 32 * 1024 * 1024;
/** Smaller ones would only get longer. */
const COMPRESSED_FROM = 512;
/** The last two levels cost seconds for a few bytes, while the first visitor waits. */
const BROTLI_LEVEL = 9;

/** `dist/console`, from the sources and from `dist/`. */
export function consoleFolder(from: string = import.meta.url): string {
  return fileURLToPath(new URL(/\.ts$/.test(from) ? '../../../dist/console/' : '../../../console/', from));
}

/** Null = there is no build in the folder. Rejects when there is one that can't be read. */
export async function readConsole(folder: string): Promise<ConsoleFiles | null> {
  const names = await listed(folder);
  if (!names.includes(PAGE)) return null;
  const files = new Map<string, ConsoleFile>();
  let bytes = 0;
  for (const name of names) {
    const kind = TYPES.get(extname(name));
    if (kind === undefined) continue;
    const content = await readFile(join(folder, name));
    bytes += content.length;
    if (bytes > MOST_BYTES) throw new Error(`${folder} is no console: it has more than ${MOST_BYTES} bytes`);
    files.set(name, fileOf(content, kind[0], kind[1] && content.length >= COMPRESSED_FROM));
  }
  return { page: await readFile(join(folder, PAGE), 'utf8'), files };
}

/** Plain files alone: no link leads out of the folder. What is hidden is the builder’s own. */
async function listed(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  if (entries.length > MOST_FILES) throw new Error(`${folder} is no console: it has more than ${MOST_FILES} files`);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => !/(^|\/)\./.test(name));
}

const compress: Readonly<Record<Encoding, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL } }),
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
  identity: async (content) => content,
};

function fileOf(content: Buffer, type: string, isCompressed: boolean): ConsoleFile {
  const made = new Map<Encoding, Promise<Buffer>>();
  return {
    type,
    digest: createHash('sha256').update(content).digest('base64url').slice(0, 22),
    encodings: new Set(isCompressed ? ENCODINGS : ['identity']),
    bytes(encoding) {
      const known = made.get(encoding);
      if (known !== undefined) return known;
      const fresh = compress[encoding](content);
      made.set(encoding, fresh);
      return fresh;
    },
  };
}
