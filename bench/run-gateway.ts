/** Program: the gateway as a process of its own. Argument: the data folder; configuration in the environment. */
import { startGateway } from '../src/assemble.ts';
import { obeyParent } from './measured-process.ts';

const sealKey = process.env['UNDERSTUDY_SEAL_KEY'];
const gateway = await startGateway({
  configText: process.env['UNDERSTUDY_BENCH_CONFIG'] ?? '',
  port: 0,
  dataDir: process.argv[2] ?? '',
  env: sealKey === undefined ? {} : { UNDERSTUDY_SEAL_KEY: sealKey },
  log: 'silent',
});
obeyParent(gateway);
