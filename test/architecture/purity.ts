/**
 * `core`, `dialects` and `providers` compute: no clock, chance, timer, environment, network or disk. Time and chance
 * come in as arguments, so that every run can be repeated.
 */
import { lineOf, type SourceFile, type SyntaxNode, walk } from './source-tree.ts';

export const PURE_FLOORS = ['src/core/', 'src/dialects/', 'src/providers/'] as const;

/** Names that reach outside by being mentioned. */
const FORBIDDEN_GLOBALS = new Set(
  `performance setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate queueMicrotask process fetch
   crypto console navigator globalThis global require WebSocket XMLHttpRequest EventSource BroadcastChannel Worker
   MessageChannel localStorage eval Function Intl`.split(/\s+/),
);
/** Members that do, of objects that otherwise don't. */
const FORBIDDEN_MEMBERS = new Set(['Math.random', 'Date.now', 'Atomics.wait', 'Atomics.waitAsync', 'import.meta']);
/** Methods that read the machine's time zone or language. */
const FORBIDDEN_METHODS =
  /^(toLocale\w+|getTimezoneOffset|(get|set)(Date|Day|FullYear|Hours|Minutes|Month|Seconds|Milliseconds))$/;
/** Node's modules that only compute. `node:crypto` for hashes alone; the names are checked. */
const ALLOWED_MODULES = new Set(['node:buffer', 'node:string_decoder']);
const ALLOWED_CRYPTO = new Set(['createHash', 'hash', 'timingSafeEqual']);

/** An identifier that is used as a value here, not a property's or parameter's name. */
function isReference(node: SyntaxNode, parent: SyntaxNode | null): boolean {
  if (node.type !== 'Identifier' || parent === null) return false;
  if (parent.type === 'MemberExpression') return parent['object'] === node || parent['computed'] === true;
  if (parent.type === 'Property' || parent.type === 'PropertyDefinition' || parent.type === 'MethodDefinition') {
    return parent['value'] === node || parent['computed'] === true;
  }
  return !parent.type.startsWith('TS') || parent.type === 'TSAsExpression' || parent.type === 'TSNonNullExpression';
}

function nameOf(node: unknown): string {
  const { type, name, value } = (node ?? {}) as SyntaxNode;
  if (type === 'MetaProperty') return 'import.meta';
  return typeof name === 'string' ? name : typeof value === 'string' ? value : '';
}

function impurity(node: SyntaxNode, parent: SyntaxNode | null): string | null {
  if (isReference(node, parent) && FORBIDDEN_GLOBALS.has(nameOf(node))) return nameOf(node);
  if (node.type === 'MetaProperty' && node['meta'] && nameOf(node['meta']) === 'import') return 'import.meta';
  if (node.type === 'MemberExpression') {
    const member = `${nameOf(node['object'])}.${nameOf(node['property'])}`;
    if (FORBIDDEN_MEMBERS.has(member)) return member;
    if (FORBIDDEN_METHODS.test(nameOf(node['property']))) return `.${nameOf(node['property'])}`;
  }
  // `new Date(ms)` only formats and reads; without an argument, or called as a function, Date is a clock.
  const onDate = nameOf(node['callee']) === 'Date';
  if (node.type === 'NewExpression' && onDate && (node['arguments'] as unknown[]).length === 0) return 'new Date()';
  if (node.type === 'CallExpression' && onDate) return 'Date()';
  if (node.type === 'VariableDeclarator' && nameOf(node['init']) === 'Date') return 'Date under another name';
  if (node.type === 'VariableDeclarator' && nameOf(node['init']) === 'Math') return 'Math under another name';
  return null;
}

function wrongModule(node: SyntaxNode): string | null {
  if (node.type === 'ImportExpression') return 'import()';
  if (node.type !== 'ImportDeclaration' || node['importKind'] === 'type') return null;
  const from = nameOf(node['source']);
  if (from.startsWith('.') || ALLOWED_MODULES.has(from)) return null;
  const names = (node['specifiers'] as SyntaxNode[]).map((specifier) => nameOf(specifier['imported']));
  if (from === 'node:crypto' && names.length > 0 && names.every((name) => ALLOWED_CRYPTO.has(name))) return null;
  return `import of ${from}`;
}

/** Every place where a file reaches outside, as `path:line what`. */
export function impurities(source: SourceFile): string[] {
  const found = new Set<string>();
  walk(source.program, (node, parent) => {
    const what = impurity(node, parent) ?? wrongModule(node);
    if (what !== null) found.add(`${source.path}:${lineOf(source.text, node.start)} ${what}`);
  });
  return [...found];
}
