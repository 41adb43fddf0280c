/** Who keeps the limits (P-4, G-11): one process by itself, or together with other replicas (H-4). */
import type { Actual, LimitAdmission, LimitBoard, LimitLease } from './limit-board.ts';
import type { Expected, LimitReader, LimitScope } from './limits.ts';
import type { LimitCrossed } from './threshold.ts';

export interface LimitKeeper extends LimitReader, Pick<LimitBoard, 'refusal' | 'usage' | 'forget'> {
  /** As `LimitBoard.admit`; later only where the other replicas have to be asked first, and soon in any case. Never rejects. */
  admit(
    scopes: readonly LimitScope[],
    expected: Expected,
    now: number,
    wall: number,
    share?: number,
  ): LimitAdmission | Promise<LimitAdmission>;
  settle(lease: LimitLease, actual: Actual, now: number, wall: number): readonly LimitCrossed[];
}
