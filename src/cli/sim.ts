/** `understudy sim`: the simulator alone. */
import { runSim, ScriptError, type Simulator } from '../../sim/index.ts';
import { CommandFailure, type Shell, untilStopped } from './shell.ts';
import { explainStart } from './start-failure.ts';

export interface SimOptions {
  readonly port: number;
  readonly host: string;
  readonly script?: string;
  readonly seed?: number;
  /** A line for each call. */
  readonly log?: boolean;
}

export async function sim(shell: Shell, options: SimOptions): Promise<void> {
  let simulator: Simulator;
  try {
    const { script, seed, log, ...place } = options;
    simulator = await runSim({
      ...place,
      ...(script === undefined ? {} : { script }),
      ...(seed === undefined ? {} : { seed }),
      logCalls: log === true,
      print: (line) => shell.print(line),
    });
  } catch (error) {
    if (error instanceof ScriptError) throw new CommandFailure(error.message);
    throw explainStart(error, { ...options, dataDir: null });
  }
  await untilStopped(shell);
  await simulator.close();
}
