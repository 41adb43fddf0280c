/** Reads a script from YAML or JSON text, with the place of every mistake. */
import { readFile } from 'node:fs/promises';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { checkScript } from './schema.ts';
import type { Script } from './step.ts';

/** A script that can't be used. `problems` are complete lines: `FILE:LINE:COLUMN: path: what is wrong`. */
export class ScriptError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ScriptError';
    this.problems = problems;
  }
}

/** Parses and validates a script. `name` stands before line and column. Throws ScriptError. */
export function parseScript(text: string, name = 'script'): Script {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw new ScriptError(document.errors.map((error) => `${at(error.pos[0])}: ${error.message}`));
  }
  const checked = checkScript(valuesOf(document, name));
  if ('script' in checked) return checked.script;
  throw new ScriptError(
    checked.issues.map(
      ({ path, message }) =>
        `${at(offsetOf(document, path))}: ${path.length > 0 ? `${pathText(path)}: ` : ''}${message}`,
    ),
  );
}

/** An alias of nothing, and one that multiplies itself, are found only here: as errors without a place. */
function valuesOf(document: ReturnType<typeof parseDocument>, name: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new ScriptError([`${name}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** Reads a script file. Throws ScriptError, also when the file can't be read. */
export async function loadScript(file: string): Promise<Script> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ScriptError([`${file}: the script cannot be read: ${whyUnreadable(error)}`]);
  }
  return parseScript(text, file);
}

function whyUnreadable(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'permission denied';
  return code === 'EISDIR' ? 'it is a directory' : message;
}

/** Offset of the deepest node the path reaches: a missing field is reported at its parent. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: readonly (string | number)[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function pathText(path: readonly (string | number)[]): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');
}
