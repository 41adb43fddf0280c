/** Word within one process: where nobody else is there to hear it. */
import type { Notifier, Topic } from '../../ports/notifier.ts';

export class LocalNotifier implements Notifier {
  readonly #heard = new Map<Topic, Set<(payload: string) => void>>();
  #waiting = new Set<string>();

  publish(topic: Topic, payload: string): void {
    if ((this.#heard.get(topic)?.size ?? 0) === 0) return;
    if (this.#waiting.size === 0) queueMicrotask(() => this.#tell());
    this.#waiting.add(`${topic} ${payload}`);
  }

  subscribe(topic: Topic, hear: (payload: string) => void): () => void {
    const heard = this.#heard.get(topic) ?? new Set();
    this.#heard.set(topic, heard.add(hear));
    return () => void heard.delete(hear);
  }

  /** It never is deaf. */
  onGap(): void {}

  #tell(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const word of waiting) {
      const end = word.indexOf(' ');
      for (const hear of this.#heard.get(word.slice(0, end) as Topic) ?? []) hear(word.slice(end + 1));
    }
  }
}
