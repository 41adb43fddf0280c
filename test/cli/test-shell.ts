/** A shell for tests: what was printed, signals by hand, a gateway that only remembers. */
import type { StartOptions } from '../../src/assemble.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { PLAIN } from '../../src/cli/paint.ts';
import type { RunningGateway, Shell, Signal } from '../../src/cli/shell.ts';
import type { Environment } from '../../src/config/load.ts';

export class TestShell implements Shell {
  readonly printed: string[] = [];
  readonly complained: string[] = [];
  readonly paint = PLAIN;
  readonly program = 'understudy';
  readonly started: StartOptions[] = [];
  /** Questions put to the terminal; there is none unless a test sets `ask`. */
  readonly asked: string[] = [];
  ask?: (question: string) => Promise<string>;
  env: Environment = {};
  fetch: typeof fetch = fetch;
  gateway: Shell['startGateway'] = () => Promise.reject(new Error('this test starts no gateway'));
  readonly #listeners = new Map<Signal, Set<() => void>>();

  print(text: string): void {
    this.printed.push(text);
  }
  complain(text: string): void {
    this.complained.push(text);
  }
  onSignal(signal: Signal, listener: () => void): () => void {
    const listeners = this.#listeners.get(signal) ?? new Set();
    this.#listeners.set(signal, listeners.add(listener));
    return () => void listeners.delete(listener);
  }
  startGateway(options: StartOptions): Promise<RunningGateway> {
    this.started.push(options);
    return this.gateway(options);
  }
  /** What is piped in; null = a terminal. */
  input: string | null = null;
  readInput(): Promise<string | null> {
    return Promise.resolve(this.input);
  }
  /** No waiting: the next turn of the loop. */
  sleep(): Promise<void> {
    return new Promise((resolve) => void setImmediate(resolve));
  }

  /** Sends a signal as soon as somebody listens for it. */
  async signal(signal: Signal): Promise<void> {
    while ((this.#listeners.get(signal)?.size ?? 0) === 0) await this.sleep();
    for (const listener of [...(this.#listeners.get(signal) ?? [])]) listener();
    await this.sleep();
  }
  listeners(): number {
    return [...this.#listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }

  run(...args: string[]): Promise<number> {
    return runCommandLine(args, this);
  }
  get out(): string {
    return this.printed.join('\n');
  }
  get err(): string {
    return this.complained.join('\n');
  }
}

/** An error as Node's system calls throw it. */
export function systemError(code: string, syscall: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${syscall} failed`), { code, syscall });
}
