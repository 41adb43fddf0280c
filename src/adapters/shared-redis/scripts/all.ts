/** Every script a replica brings along. */
import { BOARD, TELL } from './news.ts';
import { END_PROBE, PROBE } from './probe.ts';
import type { Script } from './script.ts';
import { TAKE } from './take.ts';

export const SCRIPTS: readonly Script[] = [TAKE, TELL, BOARD, PROBE, END_PROBE];
