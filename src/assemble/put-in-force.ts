/** Brings a configuration, the first and each that follows, to the parts that keep something of it. */
import { isDeepStrictEqual } from 'node:util';
import type { ProcessLog } from '../adapters/log/process-log.ts';
import type { EntitlementSigner } from '../adapters/signing/signer.ts';
import { impliedNotes } from '../config/implied-notes.ts';
import type { Snapshot } from '../config/snapshot.ts';
import { RetryBudget } from '../core/failover/retry-budget.ts';
import type { SnapshotNames } from '../core/record.ts';
import type { RecordStore } from '../ports/record-store.ts';
import type { Gateway } from '../runtime/gateway.ts';
import { preparedFor } from '../runtime/prepared.ts';
import { asideNotes, renewedCredentials } from './candidate.ts';
import type { Configuration } from './configuration.ts';
import type { HiddenSecrets } from './hidden-secrets.ts';
import type { OpenLadder } from './open-ladder.ts';

export interface Followers {
  readonly gateway: Gateway;
  readonly hidden: HiddenSecrets;
  readonly ladder: Pick<OpenLadder, 'tidy'>;
  readonly signer: Pick<EntitlementSigner, 'tend'>;
  readonly log: Pick<ProcessLog, 'info' | 'warn'>;
}

/** Puts what is configured now in force, and everything that comes after it. */
export async function putInForce(configuration: Configuration, followers: Followers): Promise<void> {
  const { gateway, hidden, ladder, signer, log } = followers;
  const { board, accounts, records } = gateway;
  const first = configuration.snapshot();
  let budgetFigures = first.retryBudget;
  const use = (snapshot: Snapshot): void => {
    hidden.use(snapshot.secrets.map((secret) => secret.reveal()));
    board.configure(snapshot.health);
    board.configureTargets(preparedFor(snapshot).catalogue.allKeys(), gateway.clock.now());
    // What it has counted stays, unless its figures change.
    if (!isDeepStrictEqual(snapshot.retryBudget, budgetFigures))
      gateway.retryBudget = new RetryBudget(snapshot.retryBudget);
    budgetFigures = snapshot.retryBudget;
    announce(snapshot, records);
  };
  let merged = configuration.state().merged;
  for (const note of asideNotes(merged)) log.warn(note);
  for (const note of impliedNotes(first)) log.info(note);
  use(first);
  await accounts.configure(first.workspaces.values());
  configuration.onExchange(async (before, after) => {
    use(after);
    for (const note of asideNotes(configuration.state().merged, merged)) log.warn(note);
    for (const note of impliedNotes(after, before)) log.info(note);
    merged = configuration.state().merged;
    for (const name of renewedCredentials(before, after)) board.renewCredential(name);
    await accounts.configure(after.workspaces.values());
    await ladder.tidy();
    // Not waited for: its keys are a change of the configuration, and this one has to be over first.
    void signer.tend();
  });
}

/** Tells the record store a snapshot's names before any record refers to its version. */
export function announce(snapshot: Snapshot, records: RecordStore): void {
  const names: SnapshotNames = {
    version: snapshot.version,
    models: snapshot.models.map((model) => model.id),
    channels: snapshot.channels.map((channel) => [channel.model, channel.id] as const),
    credentials: snapshot.credentials.map((credential) => credential.name),
  };
  records.registerSnapshot(names);
}
