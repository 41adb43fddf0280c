/** Carries out what the outbox holds (G-7): one message of each hook at a time, again after a failure, given up in the end. */
import type { WebhookEntry } from '../../config/snapshot.ts';
import type { JsonObject } from '../../core/failover/json-form.ts';
import type { NetworkRules } from '../../core/net/network-rules.ts';
import { MOST_TRIES, messageOf, nextWait } from '../../core/signals/delivery-plan.ts';
import type { Cancel, Clock, Random } from '../../ports/clock.ts';
import type { DeliveryResult, DueDelivery, EventOutbox, WebhookAnswer, WebhookSender } from '../../ports/events.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';

/** A webhook that gets nothing more, or did not get something. */
export interface WebhookTrouble {
  readonly kind: 'webhook.disabled' | 'webhook.given_up';
  readonly message: string;
  readonly workspace: string | null;
  readonly data: JsonObject;
}

export interface DispatchParts {
  readonly outbox: Pick<EventOutbox, 'take' | 'nextDue' | 'settle' | 'giveUp'>;
  readonly sender: WebhookSender;
  /** What an operator should know; others' hooks are told of it as well. */
  readonly tell: (what: WebhookTrouble) => void;
  readonly clock: Clock;
  readonly random: Random;
  /** Null = there is none of that name, or it is switched off. */
  readonly hook: (name: string) => WebhookEntry | null;
  /** There is at least one. */
  readonly hasHooks: () => boolean;
  /** Where addresses of hooks that are not the file's may lead (G-9). */
  readonly rules: () => NetworkRules;
  /** Hides configured secrets in what a receiver answered (E-5). */
  readonly mask: (text: string) => string;
  /** For the metrics. */
  readonly onTried: (how: 'delivered' | 'retried' | 'given_up') => void;
  /** The receiver wants no more (410). */
  readonly switchOff: (hook: WebhookEntry) => void;
  readonly onBug: (error: unknown) => void;
}

/** Hooks served at the same time. */
const AT_ONCE = 32;
/** What others have put into the store, or had taken when they died, is looked for so often. */
const LOOK_MS = 5000;
/** The same where nobody wants to hear anything. */
const LOOK_SELDOM_MS = 60_000;
/** A result that the store does not take now is told it again; the delivery is sent once more if all of them fail. */
const SETTLE_AGAIN_MS = [1000, 5000, 15_000];
/** How long the end waits for messages under way. */
const CLOSE_MS = 3000;
const GONE = 410;

export class Dispatcher {
  readonly #parts: DispatchParts;
  readonly #busy = new Map<string, Promise<void>>();
  #looking = false;
  #lookAgain = false;
  #timer: Cancel | null = null;
  #closed = false;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  /** Takes up what is there. */
  start(): void {
    void this.#look(true);
  }

  /** Something may be due. */
  wake(): void {
    void this.#look(false);
  }

  /** Nothing more is begun; what is under way is waited for, for a moment. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.();
    await new Promise<void>((done) => {
      const cancel = this.#parts.clock.after(CLOSE_MS, done);
      void Promise.all(this.#busy.values()).then(() => {
        cancel();
        done();
      });
    });
  }

  /** `all`: also what others had taken. */
  async #look(all: boolean): Promise<void> {
    if (this.#closed) return;
    this.#lookAgain = this.#looking;
    if (this.#looking) return;
    this.#looking = true;
    this.#timer?.();
    let wait = LOOK_MS;
    try {
      do {
        this.#lookAgain = false;
        wait = await this.#takeDue(all);
      } while (this.#lookAgain);
    } catch (error) {
      // Another time: it stays where it is.
      if (!(error instanceof StateStoreUnavailable)) this.#parts.onBug(error);
    }
    this.#looking = false;
    if (!this.#closed) this.#timer = this.#parts.clock.after(wait, () => this.wake());
  }

  /** How long there is nothing to do, ms. */
  async #takeDue(all: boolean): Promise<number> {
    const { outbox, clock, hasHooks } = this.#parts;
    const busy = [...this.#busy.keys()];
    const due = await outbox.nextDue(busy);
    const wall = clock.wall();
    const seldom = due === null && !hasHooks() ? LOOK_SELDOM_MS : LOOK_MS;
    const room = AT_ONCE - busy.length;
    if (room > 0 && (all || (due !== null && due <= wall))) {
      for (const delivery of await outbox.take(wall, room, busy)) this.#begin(delivery);
    }
    // The end of a busy hook's message looks again.
    return due !== null && due > wall ? Math.min(due - wall, seldom) : seldom;
  }

  #begin(delivery: DueDelivery): void {
    const work = this.#carryOut(delivery)
      .catch((error: unknown) => {
        // What the store does not take now is done again when the delivery is taken once more.
        if (!(error instanceof StateStoreUnavailable)) this.#parts.onBug(error);
      })
      .then(() => {
        this.#busy.delete(delivery.hook);
        this.wake();
      });
    this.#busy.set(delivery.hook, work);
  }

  async #carryOut(delivery: DueDelivery): Promise<void> {
    const hook = this.#parts.hook(delivery.hook);
    if (hook === null || hook.workspace !== delivery.workspace) {
      return this.#settle(delivery, this.#unsent('the webhook is gone or switched off'));
    }
    if (delivery.events.length === 0) return this.#settle(delivery, this.#unsent('its events are not kept any more'));
    const answer = await this.#parts.sender.send({
      url: hook.url,
      secrets: hook.secrets.map((secret) => secret.reveal()),
      id: delivery.id,
      body: JSON.stringify(messageOf(delivery.events)),
      guard: hook.ofFile ? null : this.#parts.rules(),
    });
    const result = this.#resultOf(delivery, answer);
    this.#parts.onTried(result.state === 'waiting' ? 'retried' : result.state);
    await this.#settle(delivery, result);
    if (answer.status === GONE) await this.#leave(hook);
    else if (result.state === 'given_up') this.#tellGivenUp(delivery, answer);
  }

  #resultOf({ tries }: DueDelivery, { status, answer, retryAfterMs, tookMs }: WebhookAnswer): DeliveryResult {
    const { clock, random, mask } = this.#parts;
    const at = clock.wall();
    const told = { status, answer: answer === null ? null : mask(answer), tookMs, at };
    if (status !== null && status >= 200 && status <= 299) return { ...told, state: 'delivered', nextAt: null };
    const wait = status === GONE ? null : nextWait(tries + 1, random(), retryAfterMs);
    return wait === null
      ? { ...told, state: 'given_up', nextAt: null }
      : { ...told, state: 'waiting', nextAt: at + wait };
  }

  #unsent(why: string): DeliveryResult {
    return { state: 'given_up', nextAt: null, status: null, answer: why, tookMs: 0, at: this.#parts.clock.wall() };
  }

  /** A hook whose receiver wants no more: nothing else of it is sent. */
  async #leave(hook: WebhookEntry): Promise<void> {
    const { outbox, clock, tell, switchOff } = this.#parts;
    const { name, workspace } = hook;
    switchOff(hook);
    const message = `webhook ${name}: its receiver answered 410 (gone) and is sent nothing more`;
    tell({ kind: 'webhook.disabled', message, workspace, data: { webhook: name } });
    await outbox.giveUp(name, 'the receiver wants no more (410)', clock.wall());
  }

  #tellGivenUp({ hook, workspace, id, events }: DueDelivery, { status }: WebhookAnswer): void {
    const message = `webhook ${hook}: its receiver could not be told of something, in ${MOST_TRIES} tries over 32 hours`;
    const data = { webhook: hook, delivery: id, events: events.length, status };
    this.#parts.tell({ kind: 'webhook.given_up', message, workspace, data });
  }

  async #settle({ id }: DueDelivery, result: DeliveryResult): Promise<void> {
    for (const wait of [...SETTLE_AGAIN_MS, null]) {
      try {
        return await this.#parts.outbox.settle(id, result);
      } catch (error) {
        if (!(error instanceof StateStoreUnavailable)) throw error;
        if (wait === null || this.#closed) return;
        await new Promise<void>((resume) => {
          this.#parts.clock.after(wait, resume);
        });
      }
    }
  }
}
