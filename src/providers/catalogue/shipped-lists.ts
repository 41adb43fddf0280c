/** Every list that is shipped, by the provider type it belongs to, and where their figures are from. */
import anthropic from './lists/anthropic.json' with { type: 'json' };
import azure from './lists/azure-openai.json' with { type: 'json' };
import bedrock from './lists/bedrock.json' with { type: 'json' };
import cerebras from './lists/cerebras.json' with { type: 'json' };
import dashscope from './lists/dashscope.json' with { type: 'json' };
import deepseek from './lists/deepseek.json' with { type: 'json' };
import fireworks from './lists/fireworks.json' with { type: 'json' };
import gemini from './lists/gemini.json' with { type: 'json' };
import groq from './lists/groq.json' with { type: 'json' };
import minimax from './lists/minimax.json' with { type: 'json' };
import mistral from './lists/mistral.json' with { type: 'json' };
import moonshot from './lists/moonshot.json' with { type: 'json' };
import openai from './lists/openai.json' with { type: 'json' };
import openrouter from './lists/openrouter.json' with { type: 'json' };
import perplexity from './lists/perplexity.json' with { type: 'json' };
import siliconflow from './lists/siliconflow.json' with { type: 'json' };
import shippedSources from './lists/sources.json' with { type: 'json' };
import together from './lists/together.json' with { type: 'json' };
import vertex from './lists/vertex.json' with { type: 'json' };
import xai from './lists/xai.json' with { type: 'json' };
import zhipu from './lists/zhipu.json' with { type: 'json' };
import type { CatalogueSource, ShippedList } from './rows.ts';

/** By the letters that rows name them with: `m` has windows, capabilities and prices, `g` prices. */
export const sources: Readonly<Record<'m' | 'g', CatalogueSource>> = shippedSources;

/** By provider type. */
const byType: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['openai', openai],
  ['anthropic', anthropic],
  ['gemini', gemini],
  ['azure-openai', azure],
  ['bedrock', bedrock],
  ['vertex', vertex],
  ['deepseek', deepseek],
  ['moonshot', moonshot],
  ['dashscope', dashscope],
  ['zhipu', zhipu],
  ['siliconflow', siliconflow],
  ['minimax', minimax],
  ['mistral', mistral],
  ['groq', groq],
  ['xai', xai],
  ['together', together],
  ['fireworks', fireworks],
  ['openrouter', openrouter],
  ['perplexity', perplexity],
  ['cerebras', cerebras],
]);

/** The names that a configuration may use for a list. */
export const listNames: readonly string[] = [...byType.keys()];

/** Null = there is no such list. The files are what the importer wrote, so their shape is known. */
export function shippedList(name: string): ShippedList | null {
  return (byType.get(name) as ShippedList | undefined) ?? null;
}
