/** Providers are data: a row per preset; a new OpenAI-compatible provider is zero code. */
import type { ErrorVocabulary } from '../core/classify/vocabulary.ts';
import type { Dialect } from '../core/wire-names.ts';

/** Which error vocabulary reads a provider's failures first; `generic` rules follow for all (F-1). */
export type { ErrorVocabulary };

export interface ProviderPreset {
  readonly type: string;
  readonly dialect: Dialect;
  /** Null = the configuration must name it. */
  readonly baseUrl: string | null;
  readonly auth: 'bearer' | 'api-key' | 'x-api-key' | 'none';
  readonly vocabulary: ErrorVocabulary;
  /** Client headers its adapter passes on, lower case; for every other provider none (G-10). */
  readonly forwardHeaders: readonly string[];
  /** Environment variable the default configuration looks for. */
  readonly envKey: string | null;
  /** False: calls of this dialect come in a later version; using it is `not_available`. */
  readonly available: boolean;
}
