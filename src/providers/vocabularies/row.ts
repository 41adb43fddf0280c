/** One provider's words as they are written down: codes as the provider spells them. */
import type { PhraseRule } from '../../core/classify/vocabulary.ts';
import type { FailureClass } from '../../core/failure.ts';

export interface VocabularyRow {
  readonly id: string;
  /** Class → codes in the provider's spelling. `base_resp.N` and `error_code.N` are numbers of those fields. */
  readonly codes: Partial<Record<FailureClass, readonly string[]>>;
  readonly phrases?: readonly PhraseRule[];
  readonly codeHeaders?: readonly string[];
  readonly requestIdHeaders?: readonly string[];
}
