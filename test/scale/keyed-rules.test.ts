/** Section 8 and its attacks once more, word for word, over three replicas behind a load balancer (I-1 to I-11). */
import { describe } from 'vitest';
import { runTestsOn } from '../faults/gateway.ts';
import { startReplicated } from '../support/replicas/replicated-gateway.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { hasRedis } from '../support/servers/redis.ts';

runTestsOn(startReplicated);

describe.runIf(hasPostgres() && hasRedis())('over three replicas', async () => {
  await import('../rules/idempotency.test.ts');
  await import('../rules/idempotency-clients.test.ts');
  await import('../faults/idempotency.test.ts');
  await import('../attack/keyed-shapes.test.ts');
  await import('../attack/keyed-scopes.test.ts');
});
