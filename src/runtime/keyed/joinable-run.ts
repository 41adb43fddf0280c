/** A run under a key that requests of this process may join, wherever it runs (I-6). */
import type { RelayResult } from '../relay.ts';
import type { KeyedAsk } from './ask.ts';
import type { OwnRound, RoundState } from './round.ts';
import type { Spool } from './spool.ts';

export interface JoinableRun {
  readonly ask: KeyedAsk;
  readonly own: Pick<OwnRound, 'round' | 'requestId'>;
  /** Name of the client key whose request runs it; null = another process knows. */
  readonly clientKey: string | null;
  readonly spool: Spool;
  /** Ids of the models it may reach, once they are known; null = it was refused before, or nothing came of it. */
  readonly planned: Promise<readonly string[] | null>;
  /** How it ended, for those who joined; null = before anything ran. */
  readonly settled: Promise<Pick<RelayResult, 'servedModel' | 'degradedReasons'> | null>;
  readonly state: RoundState;
  /** SHA-256 of the answer that counts, hex; null = there is none yet. */
  readonly digest: string | null;
  /** Nothing comes of it for who waits. */
  readonly isLeft: boolean;
  /** There is nothing to join any more: the ledger knows more. */
  readonly isClosed: boolean;
  /** Of a run elsewhere: resolves when whoever was shown nothing has to look again. */
  readonly abandoned?: Promise<void>;
  /** Of a run elsewhere: somebody was about to join, and did not. */
  passedBy?(): void;
}
