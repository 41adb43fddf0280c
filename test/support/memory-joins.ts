/** Joins between stores of one book, without a database: what several processes tell each other, at once or not at all. */
import type { KeyRef } from '../../src/core/idempotency/key-row.ts';
import type { RemoteJoin, RemoteJoins, SpoolPart } from '../../src/ports/remote-joins.ts';

type Left = Omit<RemoteJoin, 'wantsBytes'>;

/** What all of them share. */
export class JoinHub {
  readonly parts = new Map<string, SpoolPart[]>();
  readonly joined: RemoteJoin[] = [];
  /** False = nobody hears anything; what is written stays. */
  tells = true;
  readonly #hearJoin = new Set<(join: RemoteJoin) => void>();
  readonly #hearLeave = new Set<(join: Left) => void>();
  readonly #woken = new Set<() => void>();
  #last = 0;

  /** One process's view. `after`: its timers. */
  joins(after: (ms: number, callback: () => void) => unknown): RemoteJoins {
    return {
      wait: ({ ref, round }, wantsBytes) => {
        this.#last += 1;
        const join = { ref, round, joiner: `j${this.#last}`, wantsBytes };
        this.joined.push(join);
        for (const hear of this.#hearJoin) hear(join);
        return {
          parts: async (from) => (this.parts.get(idOf(ref, round)) ?? []).slice(from),
          woken: (ms) =>
            new Promise((resolve) => {
              after(ms, resolve);
              this.#woken.add(resolve);
            }),
          leave: () => {
            const at = this.joined.indexOf(join);
            if (at < 0) return;
            this.joined.splice(at, 1);
            for (const hear of this.#hearLeave) hear(join);
          },
        };
      },
      onJoin: (hear) => {
        this.#hearJoin.add(hear);
        return () => this.#hearJoin.delete(hear);
      },
      onLeave: (hear) => {
        this.#hearLeave.add(hear);
        return () => this.#hearLeave.delete(hear);
      },
      push: async ({ ref, round }, seq, part) => {
        const parts = this.parts.get(idOf(ref, round)) ?? [];
        parts[seq] = part;
        this.parts.set(idOf(ref, round), parts);
        this.wake();
      },
      ended: () => this.wake(),
    };
  }

  wake(): void {
    if (!this.tells) return;
    for (const resolve of this.#woken) resolve();
    this.#woken.clear();
  }
}

function idOf({ keyHash, scope }: KeyRef, round: number): string {
  return `${keyHash} ${scope} ${round}`;
}
