/**
 * The project's own sources, parsed: what each file imports, and its syntax tree. What the tests of this folder look at.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, visitorKeys } from 'oxc-parser';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** One node of the syntax tree (ESTree with TypeScript's nodes). */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

export interface ImportEdge {
  /** As written: `./x.ts`, `node:fs`, `undici`. */
  readonly specifier: string;
  /** The project's file it means, relative to the root; null for packages and Node's modules. */
  readonly target: string | null;
  /** Types only: gone when it runs. */
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly program: SyntaxNode;
  readonly imports: readonly ImportEdge[];
  readonly isTest: boolean;
}

const NOT_OURS = new Set(['node_modules', 'dist', 'fixtures', '.cache']);

/** Paths of all files under `folder` with one of the endings, relative to the root, sorted. */
export function listFiles(folder: string, ending: string): string[] {
  const absolute = path.join(ROOT, folder);
  if (!existsSync(absolute)) return [];
  const found: string[] = [];
  for (const entry of readdirSync(absolute, { withFileTypes: true })) {
    const relative = path.posix.join(folder, entry.name);
    if (entry.isDirectory() && !NOT_OURS.has(entry.name)) found.push(...listFiles(relative, ending));
    else if (entry.isFile() && entry.name.endsWith(ending)) found.push(relative);
  }
  return found.sort();
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** Calls `visit` with every node and its parent, outermost first. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, parent: SyntaxNode | null) => void,
  parent: SyntaxNode | null = null,
): void {
  visit(node, parent);
  for (const field of visitorKeys[node.type] ?? []) {
    const value = node[field];
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit, node);
  }
}

/** A string or an uninterpolated template, null for everything else. */
export function stringValue(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null;
  if (node.type !== 'TemplateLiteral') return null;
  const quasis = node['quasis'] as readonly { value: { cooked: string | null } }[];
  return quasis.length === 1 ? (quasis[0]?.value.cooked ?? null) : null;
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** A relative specifier's file; compiled names (`./worker.js`) mean their source. */
function resolve(from: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  const joined = path.posix.join(path.posix.dirname(from), specifier);
  const asSource = joined.replace(/\.js$/, '.ts');
  return existsSync(path.join(ROOT, asSource)) ? asSource : joined;
}

/** Files started as threads or programs: string literals inside `new URL(…, import.meta.url)`. */
function startedFiles(program: SyntaxNode): string[] {
  const found: string[] = [];
  walk(program, (node) => {
    if (node.type !== 'NewExpression') return;
    const callee = node['callee'] as SyntaxNode;
    const [target, base] = node['arguments'] as SyntaxNode[];
    if (callee['name'] !== 'URL' || target === undefined || base === undefined) return;
    walk(target, (part) => {
      const text = stringValue(part);
      if (text?.startsWith('.') && /\.[jt]s$/.test(text)) found.push(text);
    });
  });
  return found;
}

function importsOf(file: string, parsed: ReturnType<typeof parseSync>, program: SyntaxNode): ImportEdge[] {
  const edges: ImportEdge[] = [];
  const add = (specifier: string, typeOnly: boolean) =>
    edges.push({ specifier, target: resolve(file, specifier), typeOnly });
  for (const { moduleRequest, entries } of parsed.module.staticImports) {
    add(moduleRequest.value, entries.length > 0 && entries.every((entry) => entry.isType));
  }
  for (const { entries } of parsed.module.staticExports) {
    for (const { moduleRequest, isType } of entries) if (moduleRequest) add(moduleRequest.value, isType);
  }
  walk(program, (node) => {
    if (node.type !== 'ImportExpression') return;
    const specifier = stringValue(node['source']);
    if (specifier !== null) add(specifier, false);
  });
  for (const specifier of startedFiles(program)) add(specifier, false);
  return edges;
}

/** Parses one file's text. Throws when it is not valid TypeScript. */
export function parseSource(file: string, text: string): SourceFile {
  const parsed = parseSync(file, text, { preserveParens: false });
  const problem = parsed.errors[0];
  if (problem !== undefined) throw new Error(`${file}: ${problem.message}`);
  const program = parsed.program as unknown as SyntaxNode;
  const isTest = file.endsWith('.test.ts') || file.startsWith('test/');
  return { path: file, text, program, imports: importsOf(file, parsed, program), isTest };
}

/** All TypeScript sources under the folders. */
export function readSources(...folders: string[]): SourceFile[] {
  return folders
    .flatMap((folder) => listFiles(folder, '.ts'))
    .map((file) => parseSource(file, readFileSync(path.join(ROOT, file), 'utf8')));
}
