/** How far a long piece of work is: a bar on a terminal, a line now and then elsewhere. */
import type { Shell } from './shell.ts';

const BAR_WIDTH = 30;
/** Percent between two lines. */
const EVERY = 5;

/** `[###...] 40 %  400 of 1000`. More may come than was counted before. */
export function barOf(done: number, total: number): string {
  const part = partOf(done, total);
  const full = Math.round(part * BAR_WIDTH);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}] ${Math.floor(part * 100)} %  ${done} of ${Math.max(done, total)}`;
}

function partOf(done: number, total: number): number {
  return total === 0 ? 1 : Math.min(1, done / total);
}

export class Progress {
  readonly #shell: Pick<Shell, 'progress' | 'print'>;
  #told = 0;

  constructor(shell: Pick<Shell, 'progress' | 'print'>) {
    this.#shell = shell;
  }

  tell(done: number, total: number, doing: string): void {
    const { progress } = this.#shell;
    if (progress !== undefined) {
      progress(`${doing.padEnd(8)}${barOf(done, total)}`);
      return;
    }
    const percent = Math.floor(partOf(done, total) * 100);
    if (percent < this.#told + EVERY) return;
    this.#told = percent - (percent % EVERY);
    this.#shell.print(`${doing.padEnd(8)}${this.#told} %  ${done} of ${Math.max(done, total)}`);
  }

  /** The terminal's line is free again. */
  end(): void {
    this.#shell.progress?.('');
  }
}
