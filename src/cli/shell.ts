/** What the commands need of the process around them; tests bring their own. */
import type { RunningGateway as Assembled, StartOptions } from '../assemble.ts';
import type { Environment } from '../config/load.ts';
import type { Paint } from './paint.ts';

export type Signal = 'SIGHUP' | 'SIGINT' | 'SIGTERM';

/** What the commands use of a running gateway. */
export type RunningGateway = Pick<
  Assembled,
  'url' | 'host' | 'firstRun' | 'sharesStore' | 'origin' | 'generated' | 'reload' | 'drain' | 'close'
>;

export interface Shell {
  /** One line (or several) to standard output. */
  print(text: string): void;
  /** The same to standard error. */
  complain(text: string): void;
  /** Replaces one line of standard error, '' takes it away; absent = no terminal is there to see it. */
  readonly progress?: (line: string) => void;
  readonly env: Environment;
  /** Colours of standard output. */
  readonly paint: Paint;
  /** How this program is started from where it was started, for lines to copy: `understudy`, `bin/understudy`, … */
  readonly program: string;
  /** Calls back on every such signal until the result is called. */
  onSignal(signal: Signal, listener: () => void): () => void;
  startGateway(options: StartOptions): Promise<RunningGateway>;
  readonly fetch: typeof fetch;
  /** Puts a question to whoever sits at the terminal; absent = nobody does. The answer without its line break. */
  readonly ask?: (question: string) => Promise<string>;
  /** Everything that comes on standard input; null where that is a terminal. */
  readInput(): Promise<string | null>;
  /** Resolves after `ms`: for asking again, never for hoping. */
  sleep(ms: number): Promise<void>;
}

/** A command that failed for a reason to be told in one line. Exit code 1, or 2 for wrong usage. */
export class CommandFailure extends Error {
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}

/** `signal` resolves with the first SIGINT or SIGTERM; `off` stops listening. */
export function listenForStop(shell: Shell): { readonly signal: Promise<Signal>; off(): void } {
  let offs: (() => void)[] = [];
  const off = (): void => {
    for (const each of offs) each();
  };
  const signal = new Promise<Signal>((resolve) => {
    offs = (['SIGINT', 'SIGTERM'] as const).map((name) =>
      shell.onSignal(name, () => {
        off();
        resolve(name);
      }),
    );
  });
  return { signal, off };
}

/** Resolves with the first SIGINT or SIGTERM. */
export function untilStopped(shell: Shell): Promise<Signal> {
  return listenForStop(shell).signal;
}
