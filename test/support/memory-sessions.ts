/** Sessions of the console as a list in memory; can be away. */
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';
import type { ConsoleSession, SessionStore } from '../../src/ports/sessions.ts';

export class MemorySessions implements SessionStore {
  readonly all = new Map<string, ConsoleSession>();
  readonly touched: string[] = [];
  isAway = false;

  async open(session: ConsoleSession, most: number): Promise<void> {
    this.#reach();
    this.all.set(session.idHash, session);
    const own = [...this.all.values()].filter(({ person }) => person === session.person);
    own.sort((a, b) => b.openedAt - a.openedAt || (a.idHash < b.idHash ? -1 : 1));
    for (const { idHash } of own.slice(most)) this.all.delete(idHash);
  }

  async find(idHash: string, wall: number): Promise<ConsoleSession | null> {
    this.#reach();
    const found = this.all.get(idHash);
    return found === undefined || found.expiresAt <= wall ? null : found;
  }

  async touch(idHash: string, usedAt: number, expiresAt: number): Promise<void> {
    this.#reach();
    const found = this.all.get(idHash);
    if (found === undefined || found.usedAt >= usedAt) return;
    this.touched.push(idHash);
    this.all.set(idHash, { ...found, usedAt, expiresAt });
  }

  async end(idHash: string): Promise<boolean> {
    this.#reach();
    return this.all.delete(idHash);
  }

  async prune(wall: number): Promise<number> {
    this.#reach();
    const over = [...this.all.values()].filter(({ expiresAt }) => expiresAt <= wall);
    for (const { idHash } of over) this.all.delete(idHash);
    return over.length;
  }

  #reach(): void {
    if (this.isAway) throw new StateStoreUnavailable('the disk is full');
  }
}
