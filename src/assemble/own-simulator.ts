/** The simulator inside the process, for configurations whose providers ask for one: started once, when it is first needed. */
import type { Simulator } from '../../sim/index.ts';

export class OwnSimulator {
  #running: Simulator | null = null;

  /** Where its API is; null = it was not needed yet. */
  get address(): string | null {
    return this.#running === null ? null : `${this.#running.url}/v1`;
  }

  /** Loaded where it is asked for: a gateway before real providers doesn't carry it. */
  async start(): Promise<string> {
    if (this.#running === null) {
      const { startSimulator } = await import('../../sim/index.ts');
      this.#running = await startSimulator();
    }
    return `${this.#running.url}/v1`;
  }

  async close(): Promise<void> {
    await this.#running?.close();
  }
}
