/**
 * Endpoints that are never translated: what is asked at them and what comes back, as data. Client and upstream speak the
 * same; the gateway reads only what it needs to choose, to bill and to tell an answer from none.
 */
import type { Operation } from '../../core/wire-names.ts';
import type { BodyView } from '../bytes/body-view.ts';
import type { StreamTapOptions } from '../contract.ts';
import type { Grammar } from '../stream/grammar.ts';

/** How an answer comes: one JSON object, a stream of bytes that mean nothing here, or a stream of events. */
export type Output = 'json' | 'bytes' | 'events';

/** Whether a whole answer holds what was asked for. `rejected`: it says that its maker refused to make it. */
export type Artifact = 'there' | 'missing' | 'rejected';

/** One endpoint. */
export interface PlainEndpoint {
  readonly operation: Operation;
  /** Below an API's base: `/embeddings`. */
  readonly path: string;
  /** What an answer is, for messages: `list of embeddings`. */
  readonly answerName: string;
  /** What it may come as. */
  readonly input: 'json' | 'form';
  /** Fields without which nobody can answer. */
  readonly required: readonly string[];
  output(view: BodyView): Output;
  artifact(answer: BodyView): Artifact;
  /**
   * The call makes something new (D-11). Then an answer without it is final, as if the upstream had said so itself (S0):
   * the work was done, and doing it again elsewhere would do it twice.
   */
  readonly acts: boolean;
  /** What it needs of a model (P-6), in the catalogue's words. */
  readonly needs: readonly string[];
  /** What its tokens are, for their price: sound in, sound out, no output at all. */
  readonly tokens: { readonly audioIn?: true; readonly audioOut?: true; readonly noOutput?: true };
  /** Absent = it has no streams of events. */
  readonly events?: EventStreams;
  /** Answers asked for: null = not said, undefined = no number. Absent = the field `n`. */
  answers?(view: BodyView): number | null | undefined;
  /** The field that bounds an answer's tokens. Absent = there is none. */
  readonly outputLimit?: string;
  /** Bytes of text that would be as many tokens as what is in the answer: for those that count none. Absent = none. */
  contentBytes?(answer: BodyView): number;
  /** The answer's text, where `text` is one: of an upstream that answered in JSON what was asked for as plain text. */
  plainText?(answer: BodyView): string | null;
  /** Ids in an answer that name state at the upstream account (P-8). */
  stateIds?(answer: BodyView): readonly string[];
}

/** How an endpoint streams events. */
export interface EventStreams {
  grammar(options: StreamTapOptions): Grammar;
  /** F-5: a whole answer as the JSON texts of its events, the last of them the one that carries the report. */
  ofWhole(answer: BodyView): readonly Uint8Array[];
  /** Comes last; empty = nothing does. */
  readonly terminator: string;
  /** Events are named by their `type`. */
  readonly named: boolean;
}
