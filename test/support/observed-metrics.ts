/** A page of metrics on which every metric has at least one sample: for whoever compares names and labels with it. */
import { createMetrics, type Metrics } from '../../src/adapters/metrics/metrics.ts';
import { sampleAttempt, sampleDraft } from './sample-draft.ts';

export function observedMetrics(): Metrics {
  const metrics = createMetrics({
    snapshot: () => ({ modelById: new Set(['openai/gpt-5-nano', 'anthropic/claude-sonnet']) }),
    circuits: () => [{ channel: 'm#c', state: 'open' }],
    process: false,
  });
  const { operations } = metrics;
  const failed = sampleAttempt(1, { maybe_executed: true, decision: 'retry' });
  metrics.observe(sampleDraft(1, { attempts: [failed, sampleAttempt(1)] }));
  operations.storeTook('claim', 4);
  operations.delivery('delivered');
  operations.retentionDeleted('requests', 1);
  operations.show({
    storeUp: () => true,
    sharedUp: () => true,
    replicas: () => 3,
    activeAlerts: () => ['retry_rate'],
    slowedChannels: () => [{ channel: 'm#c', cap: 2 }],
    tracesDropped: () => 0,
  });
  return metrics;
}
