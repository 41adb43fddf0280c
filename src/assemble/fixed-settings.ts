/** What a running process can not change: said, so that nobody waits for it. */
import type { Snapshot } from '../config/snapshot.ts';

export function fixedSettings(before: Snapshot, after: Snapshot): string[] {
  const notes: string[] = [];
  if (before.server.host !== after.server.host || before.server.port !== after.server.port) {
    notes.push('server.host and server.port take effect at the next start');
  }
  if (before.storePath !== after.storePath) notes.push('store takes effect at the next start');
  if (before.sharedUrl?.reveal() !== after.sharedUrl?.reveal()) notes.push('shared takes effect at the next start');
  if (before.server.logQueue !== after.server.logQueue) notes.push('server.log_queue takes effect at the next start');
  return notes;
}
