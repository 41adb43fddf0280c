/** `understudy sim`: the simulator as a process of its own. */
import { loadScript } from './script/load.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';

export interface RunSimOptions {
  readonly port?: number;
  readonly host?: string;
  readonly seed?: number;
  /** Path of a script, YAML or JSON. */
  readonly script?: string;
  /** Gets what a person reads; nothing is printed without it. */
  readonly print?: (line: string) => void;
  /** Also print one line per call. */
  readonly logCalls?: boolean;
}

/** The port of `understudy sim` without `--port`. */
export const DEFAULT_SIM_PORT = 4010;

/** Starts the simulator and says where it is. Rejects with ScriptError, or with the system's error about the port. */
export async function runSim(options: RunSimOptions = {}): Promise<Simulator> {
  const script = options.script === undefined ? undefined : await loadScript(options.script);
  const settings: SimulatorOptions = {
    port: options.port ?? DEFAULT_SIM_PORT,
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(script === undefined ? {} : { script }),
    ...(options.logCalls === true && options.print !== undefined ? { log: options.print } : {}),
  };
  const simulator = await startSimulator(settings);
  const print = options.print ?? (() => {});
  print(
    `Simulator on ${simulator.url}/v1: Chat Completions, Responses, Messages, generateContent. Any key, any model name.`,
  );
  print('Models with a fault: fail-503, fail-429-30, slow-2000, cut-3, hang, reset, garbage, … (GET /v1/models).');
  if (script !== undefined) print(`Scripted models: ${Object.keys(script.models).join(', ')}`);
  return simulator;
}
