/**
 * Reads the TOML that model lists are written in: keys, tables, arrays of tables, texts in one line, numbers, booleans,
 * arrays and inline tables. Anything else is an error, not a guess.
 */

class Reader {
  constructor(text) {
    this.text = text.replaceAll('\r\n', '\n');
    this.at = 0;
  }

  fail(what) {
    const line = this.text.slice(0, this.at).split('\n').length;
    throw new SyntaxError(`TOML line ${line}: ${what}`);
  }

  peek() {
    return this.text[this.at];
  }

  take(expected) {
    if (!this.text.startsWith(expected, this.at)) this.fail(`expected ${expected}`);
    this.at += expected.length;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at += found[0].length;
    return found;
  }

  /** Spaces, and where it may go on in the next line also line ends and comments. */
  skip(lines) {
    this.match(lines ? /(?:[ \t\n]|#[^\n]*)*/y : /[ \t]*/y);
  }

  endOfLine() {
    if (this.match(/[ \t]*(?:#[^\n]*)?(?:\n|$)/y) === null) this.fail('more on the line than a value');
  }

  key() {
    const parts = [];
    do {
      this.skip(false);
      const bare = this.match(/[A-Za-z0-9_-]+/y);
      parts.push(bare === null ? this.string() : bare[0]);
      this.skip(false);
    } while (this.match(/\./y) !== null);
    return parts;
  }

  string() {
    if (/"""|'''/.test(this.text.slice(this.at, this.at + 3))) this.fail('texts over several lines are not read');
    const literal = this.match(/'([^'\n]*)'/y);
    if (literal !== null) return literal[1];
    const basic = this.match(/"(?:[^"\\\n]|\\.)*"/y);
    if (basic === null) this.fail('expected a text');
    const text = basic[0].replace(/\\U([0-9a-fA-F]{8})/g, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)));
    return JSON.parse(text.replaceAll('\t', '\\t'));
  }

  value() {
    const first = this.peek();
    if (first === '"' || first === "'") return this.string();
    if (first === '[') return this.array();
    if (first === '{') return this.inlineTable();
    const word = this.match(/[A-Za-z0-9_+.:-]+/y)?.[0];
    if (word === 'true' || word === 'false') return word === 'true';
    if (word !== undefined && /^\d{4}-\d{2}-\d{2}/.test(word)) return word;
    const number = Number(word?.replaceAll('_', ''));
    if (word === undefined || Number.isNaN(number)) this.fail(`not a value: ${word ?? first}`);
    return number;
  }

  array() {
    const values = [];
    this.take('[');
    for (this.skip(true); this.peek() !== ']'; this.skip(true)) {
      values.push(this.value());
      this.skip(true);
      if (this.peek() !== ']') this.take(',');
    }
    this.take(']');
    return values;
  }

  inlineTable() {
    const table = {};
    this.take('{');
    for (this.skip(true); this.peek() !== '}'; this.skip(true)) {
      this.assign(table);
      this.skip(true);
      if (this.peek() !== '}') this.take(',');
    }
    this.take('}');
    return table;
  }

  assign(table) {
    const path = this.key();
    this.take('=');
    this.skip(false);
    const holder = this.descend(table, path.slice(0, -1));
    const name = path.at(-1);
    if (Object.hasOwn(holder, name)) this.fail(`${path.join('.')} is there twice`);
    holder[name] = this.value();
  }

  /** The table at a path, made on the way; of an array of tables the last. */
  descend(table, path) {
    let here = table;
    for (const name of path) {
      if (!Object.hasOwn(here, name)) here[name] = {};
      const next = Array.isArray(here[name]) ? here[name].at(-1) : here[name];
      if (typeof next !== 'object') this.fail(`${path.join('.')} is a value, not a table`);
      here = next;
    }
    return here;
  }

  header(document) {
    const isList = this.text.startsWith('[[', this.at);
    this.take(isList ? '[[' : '[');
    const path = this.key();
    this.take(isList ? ']]' : ']');
    if (!isList) return this.descend(document, path);
    const holder = this.descend(document, path.slice(0, -1));
    const name = path.at(-1);
    holder[name] = [...(holder[name] ?? []), {}];
    return holder[name].at(-1);
  }

  document() {
    const document = {};
    let table = document;
    for (this.skip(true); this.at < this.text.length; this.skip(true)) {
      if (this.peek() === '[') table = this.header(document);
      else this.assign(table);
      this.endOfLine();
    }
    return document;
  }
}

/** A TOML text as plain objects; dates stay texts. */
export function parseToml(text) {
  return new Reader(text).document();
}
