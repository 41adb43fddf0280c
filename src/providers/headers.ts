/** Headers that vendors gave a meaning, lower case: the one place that spells them. */
import type { ForwardHeaders } from './types.ts';

/** Carries a provider's `organization` setting, in the Chat dialect and its relatives. */
export const ORGANIZATION_HEADER = 'openai-organization';

/** Unfinished features a client asks for, of the Chat dialect and its relatives. */
export const CHAT_BETA_HEADER = 'openai-beta';

/** The version of the Messages dialect; without it the vendor refuses. */
export const MESSAGES_VERSION_HEADER = 'anthropic-version';

/** Unfinished features a client asks for in the Messages dialect, a comma list. */
export const MESSAGES_BETA_HEADER = 'anthropic-beta';

/** What is sent where no client says: known to every model and relay, with sampling parameters. */
export const MESSAGES_VERSION = '2023-06-01';

/** From this version on keys are bearer tokens (dialects §0). */
const BEARER_SINCE = '2026-10-21';

/** Names the client library of the Gemini dialect: the same path means another list to it. */
export const GENERATE_CLIENT_HEADER = 'x-goog-api-client';

/** Versions are dates: they sort as texts. */
export function isBearerVersion(version: string): boolean {
  return version >= BEARER_SINCE;
}

/** Whether some client of some dialect has this header passed on (G-10). */
export function isForwarded({ always, native }: ForwardHeaders, name: string): boolean {
  return always.includes(name) || native.includes(name);
}

/** The simulator's orders, of one request. */
export const SIM_HEADER = 'x-sim';
