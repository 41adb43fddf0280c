/** Wire formats as a channel's `api` spells them: by the endpoint that clients know them by. */
import type { Dialect } from '../core/wire-names.ts';

const DIALECTS = {
  chat: 'openai-chat',
  responses: 'openai-responses',
  messages: 'anthropic',
  gemini: 'gemini',
  converse: 'bedrock',
} as const satisfies Record<string, Dialect>;

export type ApiName = keyof typeof DIALECTS;

export const API_NAMES = Object.keys(DIALECTS) as [ApiName, ...ApiName[]];

export function dialectOfApi(name: ApiName): Dialect {
  return DIALECTS[name];
}

export function apiOfDialect(dialect: Dialect): ApiName {
  return API_NAMES.find((name) => DIALECTS[name] === dialect) as ApiName;
}
