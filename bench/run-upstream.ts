/** Program: the static upstream as a process of its own. */
import { obeyParent } from './measured-process.ts';
import { startUpstream } from './upstream.ts';

obeyParent(await startUpstream());
