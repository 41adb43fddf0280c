/**
 * A provider is a row of data: code outside `src/providers/` knows dialects and error vocabularies, never a provider's
 * name. What follows is the list of names, what is allowed to look like one, and the search.
 */
import { lineOf, type SourceFile, type SyntaxNode, stringValue, walk } from './source-tree.ts';

/** Provider types an operator may write, and companies behind them. */
export const PROVIDER_NAMES = [
  'openai',
  'anthropic',
  'gemini',
  'azure',
  'bedrock',
  'vertex',
  'deepseek',
  'moonshot',
  'dashscope',
  'zhipu',
  'volcengine',
  'siliconflow',
  'minimax',
  'mistral',
  'groq',
  'xai',
  'together',
  'fireworks',
  'openrouter',
  'perplexity',
  'cerebras',
  'ollama',
  'vllm',
  'lmstudio',
] as const;

/** Also English words: only a literal that is nothing else names the provider. */
const WORDS = new Set(['together', 'fireworks', 'perplexity', 'vertex']);

/** Not providers though they look like one: the wire formats' own names (`Dialect`), and the generic provider type. */
const DIALECTS = new Set(['anthropic', 'gemini', 'bedrock']);
const FORMATS = /openai-(chat|responses|compatible)/g;

const inside = new RegExp(`(?<![a-z])(${PROVIDER_NAMES.filter((name) => !WORDS.has(name)).join('|')})(?![a-z])`, 'i');

/** Whether a text of the code names a provider. */
export function namesProvider(text: string): boolean {
  const bare = text.trim().toLowerCase();
  if (DIALECTS.has(bare)) return false;
  return WORDS.has(bare) || inside.test(text.replace(FORMATS, ''));
}

function textOf(node: SyntaxNode): string | null {
  if (node.type === 'TemplateElement') return (node['value'] as { cooked: string | null }).cooked;
  if (node.type === 'Literal') {
    const pattern = (node['regex'] as { pattern: string } | undefined)?.pattern;
    return pattern ?? stringValue(node);
  }
  if (node.type === 'Identifier') return node['name'] as string;
  return null;
}

/** `camelCase` and `snake_case` identifiers as separate words. */
function words(node: SyntaxNode, text: string): string {
  return node.type === 'Identifier' ? text.replace(/([a-z0-9])([A-Z])/g, '$1-$2').replaceAll('_', '-') : text;
}

export interface NamedProvider {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Every literal and identifier of a file that names a provider. Comments may: they explain. */
export function namedProviders(source: SourceFile): NamedProvider[] {
  const found: NamedProvider[] = [];
  walk(source.program, (node, parent) => {
    if (parent?.type.startsWith('Import') || parent?.type.startsWith('Export')) return;
    const text = textOf(node);
    if (text === null || !namesProvider(words(node, text))) return;
    found.push({ path: source.path, line: lineOf(source.text, node.start), text });
  });
  return found;
}
