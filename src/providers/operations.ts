/** What may be asked of providers, by family. */
import type { Operation } from '../core/wire-names.ts';

/** The dialect's main call alone. */
export const GENERATE_ONLY: ReadonlySet<Operation> = new Set(['generate']);

/** With a count of tokens that is not billed. */
export const GENERATE_AND_COUNT: ReadonlySet<Operation> = new Set(['generate', 'count_tokens']);

/** Everything of the OpenAI family but what it never had itself. */
export const OPENAI_OPERATIONS: ReadonlySet<Operation> = new Set([
  ...(['generate', 'completions', 'embeddings', 'moderations', 'image_generation', 'image_edit'] as const),
  ...(['speech', 'transcription', 'translation', 'video'] as const),
]);

/** What somebody behind a compatible address may serve: it says itself what it does not know. */
export const COMPATIBLE_OPERATIONS: ReadonlySet<Operation> = new Set([...OPENAI_OPERATIONS, 'rerank']);

export const ALL_OPERATIONS: ReadonlySet<Operation> = new Set([...COMPATIBLE_OPERATIONS, 'count_tokens']);
