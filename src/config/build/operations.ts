/** Sections a team runs a gateway by, as the snapshot has them. */
import type { Config } from '../schema/config-schema.ts';
import { Secret, type Snapshot } from '../snapshot.ts';
import type { StoredParts } from './stored-parts.ts';

const DEFAULT_STORE = './data/understudy.db';
const POSTGRES = /^postgres(?:ql)?:/;

/** Where state is kept and shared. */
export function buildPlaces({ store, shared }: Config): Pick<Snapshot, 'storePath' | 'storeUrl' | 'sharedUrl'> {
  const isShared = POSTGRES.test(store);
  return {
    storePath: isShared ? DEFAULT_STORE : store.replace(/^sqlite:/, ''),
    storeUrl: isShared ? new Secret(store) : null,
    sharedUrl: shared === 'memory' ? null : new Secret(shared),
  };
}

export function buildOperations(
  { alerts, webhooks, retention, entitlement }: Config,
  stored: StoredParts,
): Pick<Snapshot, 'alerts' | 'webhooks' | 'retention' | 'entitlement'> {
  return {
    alerts: {
      windowMs: alerts.window,
      minRequests: alerts.min_requests,
      retryRate: alerts.retry_rate,
      retrySuccess: alerts.retry_success,
      meanRetriesRatio: alerts.mean_retries_ratio,
      fallbackRate: alerts.fallback_rate,
      p99Ratio: alerts.p99_ratio,
      throttle: alerts.throttle,
    },
    webhooks: new Map(
      Object.entries(webhooks).map(([name, hook]) => {
        const secrets = [hook.secret, ...(hook.previous_secret === undefined ? [] : [hook.previous_secret])];
        const entry = {
          name,
          url: hook.url,
          secrets: secrets.map((text) => new Secret(text)),
          events: hook.events,
          workspace: hook.workspace ?? null,
          enabled: hook.enabled,
          ofFile: stored.webhooks?.has(name) !== true,
        };
        return [name, entry] as const;
      }),
    ),
    retention: {
      requestsMs: retention.requests,
      eventsMs: retention.events,
      deliveriesMs: retention.deliveries,
      auditMs: retention.audit,
      signalsMs: retention.signals,
    },
    entitlement: {
      providers: new Set(entitlement.providers),
      ttlMs: entitlement.ttl,
      header: entitlement.header,
      issuer: entitlement.issuer,
      rotateEveryMs: entitlement.rotate_every,
    },
  };
}

/** What the masker hides of these sections (E-5): signing secrets, and passwords in addresses. */
export function operationSecrets({ webhooks, store, shared }: Config): string[] {
  const texts = Object.values(webhooks).flatMap(({ secret, previous_secret: before }) => [
    ...keyOf(secret),
    ...(before === undefined ? [] : keyOf(before)),
  ]);
  for (const address of [store, shared, ...Object.values(webhooks).map(({ url }) => url)]) {
    if (!URL.canParse(address)) continue;
    const { password } = new URL(address);
    if (password !== '') texts.push(decodeURIComponent(password));
  }
  return texts;
}

function keyOf(secret: string): string[] {
  return [secret, secret.slice('whsec_'.length)];
}
