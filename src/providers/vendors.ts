/**
 * Whose models answer: opaque reasoning is bound to the vendor that made it, and some types lend their address to
 * models of several makers, who each keep their own dialect. Pure.
 */
import type { Dialect } from '../core/wire-names.ts';

/** Whose a dialect is: opaque data without a mark of its own comes from there. */
const DIALECT_VENDORS: Readonly<Record<Dialect, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
  bedrock: 'bedrock',
};

export function dialectVendor(dialect: Dialect): string {
  return DIALECT_VENDORS[dialect];
}

/** Types whose vendor is another's name. */
const TYPE_VENDORS: ReadonlyMap<string, string> = new Map([
  ['azure-openai', 'openai'],
  ['gemini', 'google'],
]);

/** `claude-…`, `anthropic/claude-…`, `us.anthropic.claude-…`, ARNs of such. */
const MESSAGES_FAMILY = /(?:^|[/.:])(?:anthropic[./]|claude-)/;

/** Whose opaque reasoning a model understands, and whose it makes. `name`: the provider's in the configuration. */
export function vendorOf(type: string, name: string, dialect: Dialect, upstreamModel: string): string {
  if (type === 'vertex') return dialectVendor(dialect);
  // It stands in for everybody, in everybody's own words.
  if (type === 'sim') return dialectVendor(dialect);
  if (type === 'bedrock') return MESSAGES_FAMILY.test(upstreamModel) ? 'anthropic' : 'bedrock';
  // Two addresses that merely speak the same need not know each other's state.
  if (type === 'openai-compatible') return `${type}:${name}`;
  return TYPE_VENDORS.get(type) ?? type;
}

/** The dialects a model is spoken to in: a type that lends its address says it by the model. */
export function dialectsOf(type: string, dialects: readonly Dialect[], upstreamModel: string): readonly Dialect[] {
  if (type !== 'vertex') return dialects;
  return MESSAGES_FAMILY.test(upstreamModel) ? ONLY_MESSAGES : ONLY_GENERATE;
}

const ONLY_MESSAGES: readonly Dialect[] = ['anthropic'];
const ONLY_GENERATE: readonly Dialect[] = ['gemini'];

/** Under whose name a model is published, and what it is called there: `anthropic/claude-x` says both. */
export function publisherOf(upstreamModel: string, dialect: Dialect): { publisher: string; model: string } {
  const slash = upstreamModel.indexOf('/');
  if (slash > 0) return { publisher: upstreamModel.slice(0, slash), model: upstreamModel.slice(slash + 1) };
  return { publisher: dialectVendor(dialect), model: upstreamModel };
}
