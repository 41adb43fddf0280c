import { describe, expect, it } from 'vitest';
import { RULE_IDS, RULES_TO_COME } from './rule-ids.ts';
import { readSources, type SourceFile, type SyntaxNode, stringValue, walk } from './source-tree.ts';

const TEST_CALLS = new Set(['describe', 'it', 'test']);

/** `it`, `it.each(…)`, `describe.each\`…\``: the function a test call starts from. */
function calledName(node: unknown): string {
  const { type, name, object, callee, tag } = (node ?? {}) as SyntaxNode;
  if (type === 'Identifier') return name as string;
  return type === undefined ? '' : calledName(object ?? callee ?? tag);
}

/** Titles of a file's tests and groups; a template's text between its values counts too. */
function titlesOf(source: SourceFile): string[] {
  const titles: string[] = [];
  walk(source.program, (node) => {
    if (node.type !== 'CallExpression' || !TEST_CALLS.has(calledName(node['callee']))) return;
    const [first] = node['arguments'] as SyntaxNode[];
    if (first?.type === 'TemplateLiteral') {
      titles.push((first['quasis'] as { value: { raw: string } }[]).map(({ value }) => value.raw).join(' '));
    }
    const text = stringValue(first);
    if (text !== null && first?.type !== 'TemplateLiteral') titles.push(text);
  });
  return titles;
}

/** Rule ids that a title names. */
function ruleIdsIn(title: string): string[] {
  return title.match(/\b[A-Z]-\d+\b/g) ?? [];
}

const tests = readSources('src', 'sim', 'bench', 'test').filter((file) => file.path.endsWith('.test.ts'));
const named = tests
  .filter((file) => !file.path.startsWith('test/architecture/'))
  .flatMap((file) => titlesOf(file).flatMap((title) => ruleIdsIn(title).map((id) => ({ id, file: file.path, title }))));

describe('rule ids in test titles', () => {
  it('name rules that exist', () => {
    expect(named.filter(({ id }) => !RULE_IDS.has(id))).toEqual([]);
  });

  it('every rule has a test, or is listed as still to come', () => {
    const covered = new Set(named.map(({ id }) => id));
    const missing = [...RULE_IDS].filter((id) => !covered.has(id) && !RULES_TO_COME.has(id));
    expect(missing).toEqual([]);
    expect([...RULES_TO_COME].filter((id) => covered.has(id) || !RULE_IDS.has(id))).toEqual([]);
  });
});

describe('tests that do not run', () => {
  it('there are none', () => {
    const asleep: string[] = [];
    for (const source of tests) {
      walk(source.program, (node) => {
        const property = (node['property'] as SyntaxNode | undefined)?.['name'];
        if (node.type !== 'MemberExpression' || !TEST_CALLS.has(calledName(node['object']))) return;
        if (['skip', 'only', 'todo', 'fails'].includes(property as string)) asleep.push(`${source.path} .${property}`);
      });
    }
    expect(asleep).toEqual([]);
  });
});
