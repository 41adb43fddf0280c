/** The simulator's public face. */
export type { Call } from './calls.ts';
export { type RunSimOptions, runSim } from './run.ts';
export { loadScript, parseScript, ScriptError } from './script/load.ts';
export type { Chunk, End, Script, SocketFault, Split, Step } from './script/step.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
