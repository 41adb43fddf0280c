/**
 * This start of the process, as the store knows it. What a process holds there (running keys, reservations, jobs, duties)
 * carries its holder's id; a holder that is gone loses it all together (I-8).
 */
export interface Holder {
  /** Names this start of the process; no two are ever equal. Another one after a loss: read it anew for each use. */
  readonly id: string;
  /** Its lease is ours by our own monotonic clock: nobody else can have closed what we hold. Always, where one process has the store alone. */
  readonly isAlive: boolean;
  /** Living processes on the store, this one included. 1 where one has it alone. */
  readonly peers: number;
  /** Others closed everything that `former` held; `id` is a new one already. */
  onLost(callback: (former: string) => void): void;
}

/** Of a store that one process has for itself: nothing is ever lost while it lives. */
export function soleHolder(id: string): Holder {
  return { id, isAlive: true, peers: 1, onLost: () => undefined };
}
