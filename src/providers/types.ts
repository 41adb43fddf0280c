/** Providers are data: a row per preset; a new OpenAI-compatible provider is zero code. */
import type { ErrorVocabulary } from '../core/classify/vocabulary.ts';
import type { Dialect, Operation } from '../core/wire-names.ts';

/** Which error vocabulary reads a provider's failures first; `generic` rules follow for all (F-1). */
export type { ErrorVocabulary };

/**
 * How a credential is shown. The first four name a header; `aws` signs every call; `service-account` exchanges a key file
 * for short-lived tokens; `by-dialect` does as the dialect's own vendor does.
 */
export type AuthKind =
  | 'bearer'
  | 'x-api-key'
  | 'x-goog-api-key'
  | 'api-key'
  | 'aws'
  | 'service-account'
  | 'by-dialect'
  | 'none';

/**
 * How a call's path is made: `plain` as the dialect has it; `deployments` under a cloud's own prefix, with its version
 * in the query; `publishers` below a project and a place.
 */
export type Addressing = 'plain' | 'deployments' | 'publishers';

/** Client headers passed on, lower case (G-10). */
export interface ForwardHeaders {
  /** Whatever dialect the client speaks. */
  readonly always: readonly string[];
  /** Only where client and upstream speak the same. */
  readonly native: readonly string[];
}

export interface ProviderPreset {
  readonly type: string;
  /** What it speaks, the preferred first. Which of them a model speaks: `dialectsOf`. */
  readonly dialects: readonly Dialect[];
  /** What a channel's `api` may choose beside them: some behind this type speak it, most don't. */
  readonly optionalDialects: readonly Dialect[];
  /** What may be asked there (P-6's `unsupported_model_api` else). */
  readonly operations: ReadonlySet<Operation>;
  /** Null = the configuration must name it, or it is made of a region or place: `baseUrlOf`. */
  readonly baseUrl: string | null;
  readonly addressing: Addressing;
  /** Settings that have to be there, as the configuration spells them. */
  readonly requires: readonly ('base_url' | 'region' | 'project')[];
  readonly auth: AuthKind;
  readonly vocabulary: ErrorVocabulary;
  /** For every provider that names none, none (G-10). */
  readonly forwardHeaders: ForwardHeaders;
  /** Environment variable the default configuration looks for. */
  readonly envKey: string | null;
}

/** What of a provider's settings its addresses and signatures are made of; null = not said. */
export interface ProviderPlace {
  readonly type: string;
  readonly addressing: Addressing;
  readonly apiVersion: string | null;
  readonly region: string | null;
  readonly project: string | null;
  readonly location: string | null;
}
