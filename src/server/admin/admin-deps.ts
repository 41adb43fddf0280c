/** What the admin plane and the operator's endpoints need of a gateway; the running one has all of it. */
import type { Secret } from '../../config/snapshot.ts';
import type { TargetReport } from '../../core/health/board.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RecordStore } from '../../ports/record-store.ts';

/** H-3: what an operator sees and may do. The changes answer false for an unknown id. */
export interface HealthBoardView {
  list(now: number, wall: number): readonly TargetReport[];
  reset(id: string): boolean;
  drain(id: string): boolean;
  undrain(id: string): boolean;
}

export interface AdminGateway {
  readonly records: Pick<RecordStore, 'get' | 'list'>;
  readonly board: HealthBoardView;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
  /** `adminTokenHash`: SHA-256 of the admin token, hex; null = none is configured. */
  snapshot(): { readonly adminTokenHash: string | null };
  newId(prefix: 'req_'): string;
  reportBug(error: unknown, requestId: string): void;
}

export interface OpsGateway {
  readonly clock: Pick<Clock, 'wall'>;
  readonly draining: boolean;
  snapshot(): { readonly server: { readonly metricsToken: Secret | null } };
  newId(prefix: 'req_'): string;
}
