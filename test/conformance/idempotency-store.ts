/** What every idempotency store must do, whatever it is made of (section 8). Run over each implementation. */
import { answerPromises } from './ledger-answers.ts';
import type { OpenBench } from './ledger-bench.ts';
import { claimPromises } from './ledger-claims.ts';
import { lookPromises } from './ledger-looks.ts';
import { processPromises } from './ledger-processes.ts';
import { roundPromises } from './ledger-rounds.ts';

export function idempotencyStoreConformance(name: string, open: OpenBench): void {
  claimPromises(name, open);
  roundPromises(name, open);
  answerPromises(name, open);
  processPromises(name, open);
  lookPromises(name, open);
}
