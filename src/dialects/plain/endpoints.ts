/** All endpoints that are never translated. */
import type { Operation } from '../../core/wire-names.ts';
import type { PlainEndpoint } from './endpoint.ts';
import { SPEECH, TRANSCRIPTION, TRANSLATION } from './endpoints/audio.ts';
import { COMPLETIONS } from './endpoints/completions.ts';
import { IMAGE_EDIT, IMAGE_GENERATION } from './endpoints/images.ts';
import { EMBEDDINGS, MODERATIONS, RERANK } from './endpoints/vectors.ts';
import { VIDEO } from './endpoints/videos.ts';

export const PLAIN_ENDPOINTS: readonly PlainEndpoint[] = [
  EMBEDDINGS,
  MODERATIONS,
  RERANK,
  IMAGE_GENERATION,
  IMAGE_EDIT,
  SPEECH,
  TRANSCRIPTION,
  TRANSLATION,
  VIDEO,
  COMPLETIONS,
];

const FORMS: ReadonlySet<Operation> = new Set(
  PLAIN_ENDPOINTS.filter(({ input }) => input === 'form').map(({ operation }) => operation),
);

/** Its requests may come as forms. */
export function takesForms(operation: Operation): boolean {
  return FORMS.has(operation);
}
