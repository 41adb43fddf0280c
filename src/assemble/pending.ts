/** Stand-ins until the adapters are in place. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Alert, Alerts } from '../ports/alerts.ts';
import type { GatewayMetrics } from '../ports/metrics.ts';
import type { Gateway } from '../runtime/gateway.ts';

export function createProcessLog(level: 'silent' | 'info') {
  return {
    bug: (error: unknown, requestId: string): void => console.error(requestId, error),
    store: (problem: string | null): void => {
      if (level === 'info') console.error('store', problem);
    },
  };
}

export function createAlerts(_deps: unknown): Alerts {
  return { raise: (_alert: Alert) => undefined };
}

export function createMetrics(_deps: unknown): GatewayMetrics & { logDropped(count: number): void } {
  return {
    observe: () => undefined,
    streamOpened: () => undefined,
    streamClosed: () => undefined,
    retryBudgetRefused: () => undefined,
    logDropped: () => undefined,
  };
}

export function registerAdmin(app: FastifyInstance, { gateway }: { gateway: Gateway }): void {
  app.addHook('onRequest', (request, reply, done) => {
    const hash = gateway.snapshot().adminTokenHash;
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    if (request.url.startsWith('/admin') && createHash('sha256').update(token).digest('hex') !== hash) {
      void reply.code(401).send({});
      return;
    }
    done();
  });
  app.get<{ Params: { id: string } }>('/admin/v1/requests/:id', async (request, reply) => {
    const found = await gateway.records.get(request.params.id);
    return found === null ? reply.code(404).send({}) : found;
  });
  app.get('/admin/v1/requests', () => gateway.records.list({ limit: 50 }));
  app.get('/admin/v1/health/targets', () => ({
    data: gateway.board.list(gateway.clock.now(), gateway.clock.wall()),
    next_cursor: null,
  }));
}

export function registerOps(app: FastifyInstance, { gateway }: { gateway: Gateway; metrics: unknown }): void {
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', (_request, reply) => reply.code(gateway.draining ? 503 : 200).send({ status: 'ok' }));
  app.get('/metrics', () => '');
}
