/** Program: the bare proxy as a process of its own. Argument: the upstream's URL. */
import { startBareProxy } from './bare-proxy.ts';
import { obeyParent } from './measured-process.ts';

obeyParent(await startBareProxy(process.argv[2] ?? ''));
