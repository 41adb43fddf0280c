/** Reads the type declarations that client libraries are delivered with: which members a value may have. */
import { readFileSync } from 'node:fs';

export type Shape =
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, Member> }
  | { readonly kind: 'union'; readonly of: readonly Shape[] }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'name'; readonly name: string; readonly scope: readonly string[] }
  /** `string`, `number`, `boolean`, `any`. */
  | { readonly kind: 'plain'; readonly name: string };

export interface Member {
  readonly shape: Shape;
  readonly optional: boolean;
}

interface Declared {
  readonly shape: Shape;
  readonly bases: readonly string[];
  readonly scope: readonly string[];
}

const TOKEN = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|=>|[A-Za-z_$][\w$]*|-?\d+(?:\.\d+)?|[{}()[\]<>|&;:,?=.\-*]/g;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const MODIFIERS = new Set(['export', 'declare', 'readonly', 'abstract', 'private', 'static', 'default']);

/** Every interface, class, alias and enumeration of some files, by its qualified name. */
export class Declarations {
  readonly #known = new Map<string, Declared>();

  constructor(paths: readonly string[]) {
    for (const path of paths) {
      const text = readFileSync(path, 'utf8').replace(COMMENT, '');
      new Reader(text.match(TOKEN) ?? [], this.#known).file();
    }
  }

  /** The shape behind a name, names looked up from the inside out; members of what it extends included. */
  resolve(name: string, scope: readonly string[] = []): Shape {
    const found = this.#find(name, scope);
    if (found === null) return { kind: 'plain', name: 'any' };
    const { shape, bases } = found;
    if (shape.kind !== 'object' || bases.length === 0) return shape;
    const members = new Map<string, Member>();
    for (const base of bases) {
      const inherited = this.resolve(base, found.scope);
      if (inherited.kind === 'object') for (const [key, member] of inherited.members) members.set(key, member);
    }
    for (const [key, member] of shape.members) members.set(key, member);
    return { kind: 'object', members };
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  #find(name: string, scope: readonly string[]): Declared | null {
    for (let depth = scope.length; depth >= 0; depth--) {
      const found = this.#known.get([...scope.slice(0, depth), name].join('.'));
      if (found !== undefined) return found;
    }
    // Imported under another name: `Shared.X`, `ResponsesAPI.X`.
    const dot = name.indexOf('.');
    return dot === -1 ? null : this.#find(name.slice(dot + 1), scope);
  }
}

class Reader {
  readonly #tokens: readonly string[];
  readonly #known: Map<string, Declared>;
  #at = 0;

  constructor(tokens: readonly string[], known: Map<string, Declared>) {
    this.#tokens = tokens;
    this.#known = known;
  }

  file(): void {
    while (this.#at < this.#tokens.length) this.#statement([]);
  }

  get #next(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #take(): string {
    return this.#tokens[this.#at++] ?? '';
  }

  #is(token: string): boolean {
    if (this.#next !== token) return false;
    this.#at++;
    return true;
  }

  #statement(scope: readonly string[]): void {
    while (MODIFIERS.has(this.#next)) this.#at++;
    const word = this.#take();
    switch (word) {
      case 'namespace': {
        const name = this.#take();
        if (!this.#is('{')) return;
        while (this.#next !== '}' && this.#next !== '') this.#statement([...scope, name]);
        this.#at++;
        return;
      }
      case 'interface':
      case 'class':
        this.#record(scope);
        return;
      case 'enum':
        this.#enumeration(scope);
        return;
      case 'type': {
        const name = this.#take();
        this.#generics();
        if (!this.#is('=')) return;
        this.#put(name, scope, this.#union(scope, [...scope, name]));
        this.#is(';');
        return;
      }
      case '{':
        this.#at--;
        this.#skipGroup();
        return;
      default:
        // Imports, exports, values: up to their end.
        while (this.#next !== ';' && this.#next !== '') {
          if ('{(['.includes(this.#next)) this.#skipGroup();
          else this.#at++;
        }
        this.#at++;
    }
  }

  #put(name: string, scope: readonly string[], shape: Shape, bases: readonly string[] = []): void {
    const full = [...scope, name].join('.');
    if (!this.#known.has(full)) this.#known.set(full, { shape, bases, scope: [...scope, name] });
  }

  #record(scope: readonly string[]): void {
    const name = this.#take();
    this.#generics();
    const bases: string[] = [];
    while (this.#next !== '{' && this.#next !== '') {
      const word = this.#take();
      if (word === ',' || word === 'extends' || word === 'implements') continue;
      let base = word;
      while (this.#is('.')) base += `.${this.#take()}`;
      this.#generics();
      bases.push(base);
    }
    this.#put(name, scope, this.#members([...scope, name]), bases);
  }

  #enumeration(scope: readonly string[]): void {
    const name = this.#take();
    this.#at++;
    const of: Shape[] = [];
    while (this.#next !== '}' && this.#next !== '') {
      const word = this.#take();
      if (word === '=') of.push({ kind: 'value', value: unquoted(this.#take()) });
    }
    this.#at++;
    this.#put(name, scope, { kind: 'union', of });
  }

  /** `{ … }`: methods and index signatures are none of its members. */
  #members(scope: readonly string[]): Shape {
    this.#at++;
    const members = new Map<string, Member>();
    while (this.#next !== '}' && this.#next !== '') {
      while (MODIFIERS.has(this.#next)) this.#at++;
      if (this.#next === '[' || this.#next === '(' || this.#next === '<') {
        this.#skipMember();
        continue;
      }
      const key = unquoted(this.#take());
      const optional = this.#is('?');
      if (!this.#is(':')) {
        this.#skipMember();
        continue;
      }
      members.set(key, { shape: this.#union(scope), optional });
      if (!this.#is(';')) this.#is(',');
    }
    this.#at++;
    return { kind: 'object', members };
  }

  #skipMember(): void {
    while (this.#next !== ';' && this.#next !== '}' && this.#next !== '') {
      if ('{(['.includes(this.#next)) this.#skipGroup();
      else this.#at++;
    }
    this.#is(';');
  }

  #skipGroup(): void {
    let depth = 0;
    do {
      const token = this.#take();
      if ('{([<'.includes(token)) depth++;
      else if ('})]>'.includes(token)) depth--;
    } while (depth > 0 && this.#at < this.#tokens.length);
  }

  #generics(): void {
    if (this.#next === '<') this.#skipGroup();
  }

  #union(scope: readonly string[], inside = scope): Shape {
    this.#is('|');
    const of = [this.#part(inside)];
    while (this.#is('|')) of.push(this.#part(inside));
    return of.length === 1 ? of[0]! : { kind: 'union', of };
  }

  #part(scope: readonly string[]): Shape {
    let shape = this.#single(scope);
    while (this.#next === '[' && this.#tokens[this.#at + 1] === ']') {
      this.#at += 2;
      shape = { kind: 'list', of: shape };
    }
    while (this.#is('&')) {
      const other = this.#single(scope);
      if (other.kind === 'object') shape = other;
    }
    return shape;
  }

  #single(scope: readonly string[]): Shape {
    const token = this.#next;
    if (token === '{') return this.#members(scope);
    if (token === '(') {
      if (this.#isFunction()) return ANY;
      this.#at++;
      const inner = this.#union(scope);
      this.#is(')');
      return inner;
    }
    if (token === '[') {
      this.#skipGroup();
      return ANY;
    }
    this.#at++;
    if (/^['"`]/.test(token)) return { kind: 'value', value: unquoted(token) };
    if (/^-?\d/.test(token)) return { kind: 'value', value: Number(token) };
    if (token === 'true' || token === 'false') return { kind: 'value', value: token === 'true' };
    if (token === 'null' || token === 'undefined' || token === 'never') return { kind: 'value', value: undefined };
    if (token === 'keyof' || token === 'typeof') return this.#single(scope);
    if (PLAIN.has(token)) return { kind: 'plain', name: token };
    let name = token;
    while (this.#is('.')) name += `.${this.#take()}`;
    if (this.#next !== '<') return { kind: 'name', name, scope };
    return this.#applied(name, scope);
  }

  #isFunction(): boolean {
    const start = this.#at;
    this.#skipGroup();
    if (!this.#is('=>')) {
      this.#at = start;
      return false;
    }
    this.#single([]);
    return true;
  }

  #applied(name: string, scope: readonly string[]): Shape {
    this.#at++;
    const first = this.#union(scope);
    const rest: Shape[] = [];
    while (this.#is(',')) rest.push(this.#union(scope));
    this.#is('>');
    if (name === 'Array' || name === 'ReadonlyArray') return { kind: 'list', of: first };
    if (name === 'Record')
      return { kind: 'object', members: new Map([['any_key', { shape: rest[0]!, optional: true }]]) };
    return name === 'Omit' || name === 'Partial' ? first : ANY;
  }
}

const ANY: Shape = { kind: 'plain', name: 'any' };
const PLAIN: ReadonlySet<string> = new Set([
  'string',
  'number',
  'boolean',
  'any',
  'unknown',
  'object',
  'void',
  'Uint8Array',
]);

function unquoted(token: string): string {
  return /^['"`]/.test(token) ? token.slice(1, -1) : token;
}

const MODULES = new URL('../../../node_modules/', import.meta.url);

/** Of files of installed packages. */
export function declared(...files: string[]): Declarations {
  return new Declarations(files.map((file) => new URL(file, MODULES).pathname));
}
