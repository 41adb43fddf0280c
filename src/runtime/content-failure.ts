/** F-5: what a whole answer is that says nothing, or no. */
import { type Failure, makeFailure } from '../core/failure.ts';
import type { ContentKind } from '../dialects/contract.ts';

/** The failure such an answer becomes where it is not served: `filtered` always, the others if `on` rejects them. */
export function contentFailure(content: ContentKind, status: number | null): Failure | null {
  const make = (failureClass: 'content_policy' | 'empty', message: string, code: string | null): Failure =>
    makeFailure({ class: failureClass, status, message, code, phase: 'body' });
  switch (content) {
    case 'content':
      return null;
    case 'filtered':
      // A 2xx that says "filtered" without any answer.
      return make('content_policy', 'the provider filtered the answer', 'content_filter');
    case 'refusal':
      return make('content_policy', 'the model refused to answer', 'refusal');
    case 'empty':
      return make('empty', 'the answer has no content', null);
  }
}
