/** What E-4's ladder stands on: one per process. */
import type { KeptAnswers } from '../../ports/kept-answers.ts';
import type { JobQueue } from './job-queue.ts';

export interface Ladder {
  readonly kept: KeptAnswers;
  readonly jobs: JobQueue;
}
