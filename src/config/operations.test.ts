import { describe, expect, it } from 'vitest';
import { loadConfig } from './load.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const BASE = 'version: 1\nproviders:\n  up: { type: openai }\nmodels: { "up/a": {} }\n';

function load(text: string) {
  return loadConfig({ text: BASE + text, file: 'test.yaml', env: { SECRET } });
}

function snapshotOf(text: string) {
  const result = load(text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

function problemsOf(text: string) {
  const result = load(text);
  return result.ok ? [] : result.problems;
}

describe('sections a team runs a gateway by', () => {
  it('O-4: without a section the thresholds are those of the rule', () => {
    expect(snapshotOf('').alerts).toEqual({
      windowMs: 300_000,
      minRequests: 100,
      retryRate: 0.05,
      retrySuccess: 0.5,
      meanRetriesRatio: 1.5,
      fallbackRate: 0.01,
      p99Ratio: 1.5,
      throttle: true,
    });
    expect(snapshotOf('alerts: { retry_rate: 0.2, window: 10m }').alerts).toMatchObject({
      windowMs: 600_000,
      retryRate: 0.2,
      fallbackRate: 0.01,
    });
  });

  it('G-7: webhooks by name, with the workspace they belong to', () => {
    const text = `workspaces: { acme: {} }\nwebhooks:\n  ops: { url: "https://hooks.example/u", secret: $\{SECRET}, previous_secret: $\{SECRET}, events: ["alert.*"], workspace: acme }\n  all: { url: "https://b.example", secret: $\{SECRET}, enabled: false }`;
    const { webhooks } = snapshotOf(text);
    expect(webhooks.get('ops')).toMatchObject({ workspace: 'acme', events: ['alert.*'], enabled: true, ofFile: true });
    expect(webhooks.get('ops')!.secrets.map((secret) => secret.reveal())).toEqual([SECRET, SECRET]);
    expect(webhooks.get('all')).toMatchObject({ workspace: null, events: ['*'], enabled: false });
  });

  it('E-5: signing secrets and passwords of addresses are masked', () => {
    const text = `webhooks: { ops: { url: "https://b.example", secret: $\{SECRET} } }\nserver: { metrics_token: metrics-token-1 }`;
    const revealed = snapshotOf(text).secrets.map((secret) => secret.reveal());
    expect(revealed).toContain(SECRET);
    expect(revealed).toContain(SECRET.slice(6));
  });

  it('O-1: how long records are kept', () => {
    const day = 86_400_000;
    expect(snapshotOf('retention: { requests: 90d }').retention).toEqual({
      requestsMs: 90 * day,
      eventsMs: 30 * day,
      deliveriesMs: 30 * day,
      auditMs: 400 * day,
      signalsMs: 8 * day,
    });
  });

  it('G-5: entitlement names providers of the file', () => {
    expect(snapshotOf('').entitlement.providers.size).toBe(0);
    expect(snapshotOf('entitlement: { providers: [up], ttl: 30s }').entitlement).toMatchObject({
      ttlMs: 30_000,
      header: 'x-understudy-entitlement',
      issuer: 'understudy',
      rotateEveryMs: 30 * 86_400_000,
    });
  });

  it.each([
    ['alerts: { retry_rate: 5 }', 'alerts.retry_rate', 'at most 1'],
    ['alerts: { window: 10s }', 'alerts.window', '60000'],
    ['webhooks: { ops: { url: ftp://x, secret: whsec_x } }', 'webhooks.ops.url', 'https://'],
    ['webhooks: { ops: { url: "https://x", secret: "hello" } }', 'webhooks.ops.secret', 'whsec_'],
    ['webhooks: { ops: { url: "https://x" } }', 'webhooks.ops.secret', 'required'],
    [`webhooks: { ops: { url: "https://x", secret: "${SECRET}", workspace: acm } }`, 'webhooks.ops.workspace', 'acm'],
    [`webhooks: { "o p": { url: "https://x", secret: "${SECRET}" } }`, 'webhooks["o p"]', 'letters'],
    ['retention: { requests: 5m }', 'retention.requests', 'duration'],
    ['entitlement: { providers: [upp] }', 'entitlement.providers[0]', 'upp'],
    ['entitlement: { header: authorization }', 'entitlement.header', 'something else'],
    ['store: "postgres://u:%ZZ@h/db"', 'store', '%XX'],
    ['shared: "redis://u:%ZZ@h"', 'shared', '%XX'],
  ])('X-5: %s is told with its place', (text, path, said) => {
    const problem = problemsOf(text).find((one) => one.path === path);
    expect(problem?.message).toContain(said);
  });
});
