/**
 * Stored answers that somebody is still sending: whoever asks for one meanwhile gets the same bytes. Clients that ask again
 * and again and read nothing hold one copy then, not one each.
 */
import type { StoredAnswer } from '../../ports/idempotency-store.ts';

interface Used {
  readonly head: Omit<StoredAnswer, 'body'>;
  /** What all views of the bytes hold on to, those of sockets too. */
  readonly bytes: WeakRef<ArrayBufferLike>;
  readonly at: number;
  readonly length: number;
}

export class AnswersInUse {
  readonly #used = new Map<string, Used>();
  readonly #over = new FinalizationRegistry<string>((id) => {
    if (this.#used.get(id)?.bytes.deref() === undefined) this.#used.delete(id);
  });

  get size(): number {
    return this.#used.size;
  }

  get(id: string): StoredAnswer | null {
    const used = this.#used.get(id);
    const bytes = used?.bytes.deref();
    return used === undefined || bytes === undefined
      ? null
      : { ...used.head, body: Buffer.from(bytes, used.at, used.length) };
  }

  /** Small ones share a pool of bytes with others, and are read again as quickly. */
  add(id: string, { body, ...head }: StoredAnswer): void {
    if (body.length < WORTHWHILE) return;
    this.#used.set(id, { head, bytes: new WeakRef(body.buffer), at: body.byteOffset, length: body.length });
    this.#over.register(body.buffer, id);
  }
}

const WORTHWHILE = 64 * 1024;
