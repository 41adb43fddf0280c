/** Events and audit entries of finished requests (G-7). */
import type { RecordDraft } from '../../core/record.ts';
import type { AuditEntry, NewEvent } from '../../core/signals/event.ts';
import { eventsOf } from '../../core/signals/events-of.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RequestWatcher } from '../../ports/request-watcher.ts';
import { Quiet } from './quiet.ts';

export interface RequestEventParts {
  readonly emit: (event: NewEvent) => unknown;
  readonly audit: (entry: AuditEntry) => void;
  readonly clock: Pick<Clock, 'wall'>;
  /** Whether a credential is its workspace's own. */
  readonly isByok: (credential: string) => boolean;
}

/** A credential at fault rests; requests that were under way meet the same fault. */
const QUIET_MS = 300_000;

export class RequestEvents implements RequestWatcher {
  readonly #parts: RequestEventParts;
  readonly #quiet = new Quiet(QUIET_MS);

  constructor(parts: RequestEventParts) {
    this.#parts = parts;
  }

  observe(draft: RecordDraft): void {
    const { clock, emit, audit, isByok } = this.#parts;
    // Nearly every request: nothing to tell, and nothing computed.
    if (draft.attempts.length === 0) return;
    const told = eventsOf(draft, clock.wall(), isByok);
    for (const event of told.events) if (this.#isNew(event)) emit(event);
    for (const entry of told.audit) audit(entry);
  }

  #isNew({ type, at, data }: NewEvent): boolean {
    if (type !== 'credential.unhealthy') return true;
    return this.#quiet.ask(`${String(data['credential'])} ${String(data['class'])}`, at) !== null;
  }
}
