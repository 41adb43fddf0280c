/** Which webhooks are told of events at the moment (G-7). */
import type { Snapshot, WebhookEntry } from '../config/snapshot.ts';
import type { Configuration } from './configuration.ts';
import { ManagedObjects } from './managed-objects.ts';

/** Hooks in force; those of the file whose receivers want no more are left out until the next start. */
export class HooksInForce {
  readonly #configuration: Configuration;
  readonly #left = new Set<string>();

  constructor(configuration: Configuration) {
    this.#configuration = configuration;
  }

  snapshot(): Snapshot {
    return this.#configuration.snapshot();
  }

  *inForce(): Iterable<WebhookEntry> {
    for (const hook of this.snapshot().webhooks.values()) if (this.#isOn(hook)) yield hook;
  }

  find(name: string): WebhookEntry | null {
    const hook = this.snapshot().webhooks.get(name);
    return hook !== undefined && this.#isOn(hook) ? hook : null;
  }

  /** One of the store is switched off for good, and can be switched on again by an admin. */
  switchOff(hook: WebhookEntry): void {
    this.#left.add(`${hook.name} ${hook.url}`);
    if (hook.ofFile) return;
    const objects = new ManagedObjects(this.#configuration);
    const stored = objects.get('webhook', hook.name);
    if (stored === null) return;
    const off = { ...stored.body, enabled: false };
    objects.put('webhook', hook.name, off, { by: 'gateway', create: false, expectedVersion: stored.version }).then(
      () => this.#left.delete(`${hook.name} ${hook.url}`),
      // Changed meanwhile, or the store is away: it stays off in this process.
      () => undefined,
    );
  }

  #isOn({ name, url, enabled }: WebhookEntry): boolean {
    return enabled && !this.#left.has(`${name} ${url}`);
  }
}
