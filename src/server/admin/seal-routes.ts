/** The key that credentials are sealed with, and its exchange (G-9). */
import { ClientError } from '../../core/errors/catalogue.ts';
import { type Rotation, SealKeyError } from '../../ports/sealer.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminRoute } from './admin-route.ts';
import { object, schemaRef, TEXT, TEXTS, WHOLE } from './openapi-parts.ts';
import { conflict } from './refusals.ts';

export const SEAL_SCHEMAS: Readonly<Record<string, object>> = {
  SealRotation: object({
    key_source: { enum: ['environment', 'file'] },
    key_id: { ...TEXT, description: 'Of the key in use now; not a secret.' },
    resealed: WHOLE,
    broken: { ...TEXTS, description: 'What no known key opens; it was left as it was.' },
    older_keys: {
      ...WHOLE,
      description: 'Keys still kept because something needs them, or the environment holds them.',
    },
  }),
};

export function sealRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'POST',
      path: '/v1/seal/rotate',
      summary: 'Seals everything anew with a fresh key; of a key from the environment, what older ones had sealed.',
      needs: 'configuration.change',
      parameters: [],
      answer: schemaRef('SealRotation'),
      audit: (_call, answer) => {
        const { key_id: keyId, resealed } = answer as { readonly key_id: string; readonly resealed: number };
        return { action: 'seal.rotate', object: 'seal key', workspace: null, after: { key_id: keyId, resealed } };
      },
      handle: async () => {
        const { keyId, resealed, broken, olderKeys } = await rotate(deps);
        const keys = { key_source: deps.sealer.keySource, key_id: keyId, older_keys: olderKeys };
        return { ...keys, resealed, broken };
      },
    },
  ];
}

async function rotate({ objects, sealer }: AdminDeps): Promise<Rotation> {
  try {
    return await objects.withSealed((texts) => sealer.rotate(texts));
  } catch (error) {
    if (error instanceof ClientError) throw error;
    if (error instanceof SealKeyError) throw conflict(`The sealing key was not exchanged: ${error.message}`);
    throw error;
  }
}
