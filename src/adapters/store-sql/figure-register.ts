/**
 * The overview's figures on their way to the database: sums of what this process has logged, kept open per stretch of time and
 * workspace, each a row that takes its own earlier one's place. So a batch that is sent again counts nothing twice, and a
 * busy gateway writes a few rows every other second, however many requests it serves.
 */
import { SKIP_REASONS } from '../../core/failover/plan-types.ts';
import { countSeen, type Figures, noFigures, seenOf } from '../../core/overview/figures.ts';
import { storedFigures } from '../../core/overview/stored-figures.ts';
import { GRAINS } from '../../core/overview/window.ts';
import type { RecordDraft } from '../../core/record.ts';
import type { LateRegister, RegisterSteps } from './registers.ts';
import type { RequestsSql } from './statements.ts';

/** Scope of the row that counts every workspace's requests: no workspace can have this name. */
export const ALL_SCOPES = '*';

interface Stretch {
  readonly grainMs: number;
  readonly scope: string;
  /** Wall ms at which it begins. */
  readonly slot: number;
  /** Tells its row from those of other processes, and from one of an earlier time of this process's. */
  readonly part: string;
  readonly figures: Figures;
  isDirty: boolean;
}

/**
 * Stretches held at once: memory must not grow with workspaces. Beyond that those that are stored are let go, and what comes to
 * them begins a row of its own; while all of them wait for the disk, further ones are not counted.
 */
const HELD = 4096;
/** A stretch is let go this long after it ended: most requests that began in it are over, later ones begin a row of their own. */
const LINGERS_MS = 120_000;

/** What has been counted and not yet stored. */
export class FigureRegister implements LateRegister {
  readonly #sql: Pick<RequestsSql, 'putFigures'>;
  readonly #holder: string;
  readonly #stretches = new Map<string, Stretch>();
  /** By grain and scope the one that was counted in last, nearly always the one that is wanted: its name need not be made. */
  readonly #last = new Map<number, Map<string, Stretch>>(GRAINS.map((grainMs) => [grainMs, new Map()]));
  #made = 0;
  /** Everything held waits for the disk. */
  #isFull = false;

  /** @param holder names this start of the process; no other one has it */
  constructor(sql: Pick<RequestsSql, 'putFigures'>, holder: string) {
    this.#sql = sql;
    this.#holder = holder;
  }

  /** Counts a record that began at `at` (wall ms). */
  count(draft: RecordDraft, at: number): void {
    const seen = seenOf(draft, at, reasonName);
    for (const grainMs of GRAINS) {
      const slot = Math.floor(at / grainMs) * grainMs;
      for (const scope of [ALL_SCOPES, draft.workspace]) {
        const stretch = this.#stretchOf(grainMs, scope, slot);
        if (stretch === null) continue;
        countSeen(stretch.figures, seen);
        stretch.isDirty = true;
      }
    }
  }

  steps(): RegisterSteps {
    this.#isFull = false;
    const stored = [...this.#stretches.values()].filter(({ isDirty }) => isDirty);
    if (stored.length === 0) return { steps: [], stored };
    const rows = stored.map((stretch) => {
      stretch.isDirty = false;
      const { grainMs, scope, slot, part, figures } = stretch;
      return [grainMs, scope, slot, part, storedFigures(figures)];
    });
    return { steps: [{ sql: this.#sql.putFigures, rows }], stored };
  }

  failed(stored: readonly object[]): void {
    for (const stretch of stored as readonly Stretch[]) stretch.isDirty = true;
  }

  sweep(wall: number): void {
    this.#letGo(({ slot, grainMs }) => slot + grainMs + LINGERS_MS < wall);
  }

  /** Of those that are stored. */
  #letGo(which: (stretch: Stretch) => boolean): void {
    for (const [name, stretch] of this.#stretches) {
      if (stretch.isDirty || !which(stretch)) continue;
      this.#stretches.delete(name);
      const last = this.#last.get(stretch.grainMs);
      if (last?.get(stretch.scope) === stretch) last.delete(stretch.scope);
    }
  }

  #hasRoom(): boolean {
    if (this.#stretches.size < HELD) return true;
    if (this.#isFull) return false;
    this.#letGo(() => true);
    this.#isFull = this.#stretches.size >= HELD;
    return !this.#isFull;
  }

  sendAgain(): void {
    for (const stretch of this.#stretches.values()) stretch.isDirty = true;
  }

  #stretchOf(grainMs: number, scope: string, slot: number): Stretch | null {
    const last = this.#last.get(grainMs);
    const recent = last?.get(scope);
    if (recent?.slot === slot) return recent;
    const stretch = this.#namedStretch(grainMs, scope, slot);
    if (stretch !== null) last?.set(scope, stretch);
    return stretch;
  }

  #namedStretch(grainMs: number, scope: string, slot: number): Stretch | null {
    const name = `${grainMs} ${slot} ${scope}`;
    const known = this.#stretches.get(name);
    if (known !== undefined || !this.#hasRoom()) return known ?? null;
    this.#made += 1;
    const part = `${this.#holder}-${this.#made}`;
    const made = { grainMs, scope, slot, part, figures: noFigures(), isDirty: false };
    this.#stretches.set(name, made);
    return made;
  }
}

function reasonName(index: number): string {
  return SKIP_REASONS[index] ?? `#${index}`;
}
