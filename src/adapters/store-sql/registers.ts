/** What rows refer to and the file must hold before them: registers write along with the rows, in one transaction. */
import type { SqlStep } from './sql-step.ts';

/** What one transaction has to write first. */
export interface RegisterSteps {
  readonly steps: readonly SqlStep[];
  /** What to tell `sent` once they are durable. */
  readonly stored: readonly object[];
}

/** One kind of what rows refer to. */
export interface Register {
  /** Something is not yet stored. */
  readonly pending: boolean;
  /** The steps that store what is not yet stored. */
  steps(): RegisterSteps;
  sent(stored: readonly object[]): void;
  /** The file is another one than before: everything must be stored again. */
  sendAgain(): void;
}

/** Sums of what is logged. Nothing refers to them, so they may follow the rows. */
export interface LateRegister {
  /** Steps that store what has changed since it was last asked. */
  steps(): RegisterSteps;
  /** These were not stored after all. */
  failed(stored: readonly object[]): void;
  /** Lets go of what is stored and over at `wall` (ms). */
  sweep(wall: number): void;
  /** The file is another one than before: what is still held must be stored again. */
  sendAgain(): void;
}

/** Several as one. */
export class Registers implements Register {
  readonly #all: readonly Register[];

  constructor(...all: readonly Register[]) {
    this.#all = all;
  }

  get pending(): boolean {
    return this.#all.some(({ pending }) => pending);
  }

  steps(): RegisterSteps {
    const all = this.#all.map((register) => register.steps());
    return { steps: all.flatMap(({ steps }) => steps), stored: all.flatMap(({ stored }) => stored) };
  }

  sent(stored: readonly object[]): void {
    for (const register of this.#all) register.sent(stored);
  }

  sendAgain(): void {
    for (const register of this.#all) register.sendAgain();
  }
}
