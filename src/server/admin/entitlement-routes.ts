/** The keys that entitlements are signed with, and their exchange before its time (G-5). */
import type { AdminDeps } from './admin-deps.ts';
import type { AdminRoute } from './admin-route.ts';
import { INSTANT, object, schemaRef, TEXT } from './openapi-parts.ts';

const KEY = object({
  kid: { ...TEXT, description: 'As in tokens and in /.well-known/jwks.json.' },
  state: { enum: ['next', 'current', 'retired'] },
  since: INSTANT,
});

export const ENTITLEMENT_SCHEMAS: Readonly<Record<string, object>> = {
  SigningKeys: object({ data: { type: 'array', items: KEY, description: 'The oldest first.' } }),
};

const EXCHANGES = {
  rotate: 'The next key signs from now on; what the one before has signed holds to its end.',
  revoke: 'The next key signs from now on; those before it are published no more: for a key in wrong hands.',
} as const;

export function entitlementRoutes(deps: AdminDeps): AdminRoute[] {
  const exchanges = Object.entries(EXCHANGES).map(
    ([action, summary]): AdminRoute => ({
      method: 'POST',
      path: `/v1/entitlement/${action}`,
      summary,
      needs: 'configuration.change',
      parameters: [],
      answer: schemaRef('SigningKeys'),
      audit: () => ({ action: `entitlement.${action}`, object: 'signing key', workspace: null, after: current(deps) }),
      async handle() {
        await deps.signing.turnNow(action === 'revoke');
        return shown(deps);
      },
    }),
  );
  return [
    {
      method: 'GET',
      path: '/v1/entitlement/keys',
      summary: 'Signing keys and where each stands.',
      needs: 'policies.read',
      parameters: [],
      answer: schemaRef('SigningKeys'),
      handle: () => shown(deps),
    },
    ...exchanges,
  ];
}

function shown({ signing }: AdminDeps): object {
  return {
    data: signing.signingKeys().map(({ kid, state, since }) => ({ kid, state, since: new Date(since).toISOString() })),
  };
}

function current({ signing }: AdminDeps): { readonly kid: string | null } {
  return { kid: signing.signingKeys().findLast(({ state }) => state === 'current')?.kid ?? null };
}
