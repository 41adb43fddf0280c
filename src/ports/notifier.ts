/**
 * Word between the processes of one store: something is worth a look. Hints, lossy by contract: whoever waits for one
 * also looks by itself, and what it finds in the store decides.
 */
export const TOPICS = ['objects', 'key', 'join', 'job', 'outbox', 'signal', 'balance', 'setup'] as const;
export type Topic = (typeof TOPICS)[number];

export interface Notifier {
  /** Heard by every process, this one included. At most 512 bytes; queued, equal ones of a moment sent once. Never throws. */
  publish(topic: Topic, payload: string): void;
  /** `hear` must not throw. The result ends it. */
  subscribe(topic: Topic, hear: (payload: string) => void): () => void;
  /** It could not hear for a while: look at everything. */
  onGap(callback: () => void): void;
}
