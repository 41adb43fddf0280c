/** G-5: what proves to a provider that a call is this gateway's: a token per attempt, over the very bytes it sends. */
import type { Snapshot } from '../config/snapshot.ts';
import type { Target } from '../core/failover/plan-types.ts';
import type { Entitlement } from '../ports/entitlement.ts';
import type { UpstreamRequest } from '../ports/transport.ts';
import { attemptId } from './attempt-trace.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';

type Known = Pick<Snapshot, 'channels' | 'credentials' | 'entitlement'>;

/** Whether calls of a target carry tokens. An address that a workspace chose gets none: it could show them elsewhere. */
function isEntitled({ channels, credentials, entitlement }: Known, { channel, credential }: Target): boolean {
  if (!entitlement.providers.has(channels[channel]!.provider.name)) return false;
  return credential === null || credentials[credential]!.baseUrl === null;
}

/** Its calls would need a token, and none can be signed right now. */
export function lacksEntitlement(entitlement: Pick<Entitlement, 'problem'>, snapshot: Known, target: Target): boolean {
  return isEntitled(snapshot, target) && entitlement.problem !== null;
}

/** What the call of one attempt is sent with beside its own headers; nothing where its provider asks for no tokens. */
export function entitle(
  { entitlement, storeClock }: Pick<Gateway, 'entitlement' | 'storeClock'>,
  { snapshot, workspace, identity }: Pick<Job, 'snapshot' | 'workspace' | 'identity'>,
  target: Target,
  attempt: number,
): Pick<UpstreamRequest, 'entitle'> {
  if (!isEntitled(snapshot, target)) return NOTHING;
  const { header, issuer, ttlMs } = snapshot.entitlement;
  const { provider, upstreamModel } = snapshot.channels[target.channel]!;
  const jti = attemptId(identity.requestId, attempt);
  const model = snapshot.models[target.model]!.id;
  return {
    entitle(bodySha256) {
      // Replicas' own clocks differ.
      const iat = Math.floor(storeClock.wall() / 1000);
      const claims = {
        iss: issuer,
        aud: provider.name,
        sub: workspace,
        jti,
        model,
        upstream_model: upstreamModel,
        body_sha256: bodySha256,
        iat,
        exp: iat + Math.ceil(ttlMs / 1000),
      };
      return [header, entitlement.sign(claims)];
    },
  };
}

const NOTHING = {};
