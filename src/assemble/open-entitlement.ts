/** The signer of entitlements over the running configuration (G-5): its keys are objects of the store, sealed. */
import { EntitlementSigner, type KeyShelf } from '../adapters/signing/signer.ts';
import type { Clock } from '../ports/clock.ts';
import type { ObjectChange, StoredObject } from '../ports/object-store.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { Closers } from './closers.ts';
import type { Configuration } from './configuration.ts';
import type { Tell } from './tell.ts';

export interface EntitlementParts {
  readonly configuration: Configuration;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly clock: Clock;
  readonly tell: Tell;
}

/** Ready to sign where the configuration asks for tokens; a store that can't keep a key shows in `problem`. */
export async function openEntitlement(parts: EntitlementParts, closers: Closers): Promise<EntitlementSigner> {
  const { configuration, sealer, clock, tell } = parts;
  const signer = new EntitlementSigner({
    shelf: shelfOf(configuration, clock),
    sealer,
    clock,
    rules() {
      const { entitlement } = configuration.snapshot();
      return entitlement.providers.size === 0 ? null : entitlement;
    },
    onProblem: tell('entitlement.unavailable'),
  });
  closers.add(() => signer.close());
  await signer.start();
  return signer;
}

/** Changes go the way of all objects: one after the other, durable, then in force here, then seen by other replicas. */
function shelfOf(configuration: Configuration, clock: Clock): KeyShelf {
  return {
    objects: () => configuration.state().objects,
    change: (changes) =>
      configuration.exclusively(async () => {
        const { file, objects } = configuration.state();
        const made = changes(objects);
        if (made.length === 0) return;
        const next = made.reduce((all, change) => changed(all, change, clock.wall()), objects);
        await configuration.putInForce(configuration.candidate(file, next), made);
      }),
  };
}

function changed(objects: readonly StoredObject[], change: ObjectChange, wall: number): readonly StoredObject[] {
  const { kind, name, body, expectedVersion, by } = change;
  const place = objects.findIndex((one) => one.kind === kind && one.name === name);
  if (body === null) return objects.filter((_, at) => at !== place);
  const createdAt = objects[place]?.createdAt ?? wall;
  const object = { kind, name, body, version: expectedVersion + 1, createdAt, updatedAt: wall, updatedBy: by };
  return place < 0 ? [...objects, object] : objects.with(place, object);
}
