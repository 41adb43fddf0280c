// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configuration text, not template literals
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig, loadConfigFile } from './load.ts';
import type { Problem } from './problem.ts';

const ENV = { OPENAI_API_KEY: 'sk-openai', DEV_KEY: 'dev-key', PORT: '4123' };
const BASE =
  'version: 1\nproviders:\n  up: { type: openai }\nmodels: { "up/a": {}, "up/b": {}, "up/c": {}, "up/d": {} }\n';

/** Problems of BASE plus `text`; `env` beside ENV. */
function problemsOf(text: string, env: Record<string, string> = {}): readonly Problem[] {
  const result = loadConfig({ text: BASE + text, file: 'test.yaml', env: { ...ENV, ...env } });
  return result.ok ? [] : result.problems;
}
function only(text: string): Problem {
  const problems = problemsOf(text);
  expect(problems).toHaveLength(1);
  return problems[0]!;
}

describe('X-5: shape', () => {
  it('X-5: names an unknown key with line, column and the nearest known one', () => {
    expect(only('server:\n  hots: x')).toMatchObject({
      code: 'unknown_key',
      path: 'server.hots',
      line: 6,
      column: 3,
      suggestion: 'host',
    });
  });

  it('X-5: knows the keys of every level', () => {
    const text = [
      'kyes: []',
      'credentials: { c: { provider: up, secret: x, ordr: 1 } }',
      'workspaces: { w: { routing: { stratgy: priority } } }',
      'keys: [{ name: k, secret: s, redundancy: { timout_ms: 2000 } }]',
      'policies: { standard: { overlaoded: [retry] } }',
      'health: { circuit: { window: 1 } }',
    ].join('\n');
    expect(problemsOf(text).map((problem) => [problem.path, problem.suggestion])).toEqual([
      ['kyes', 'keys'],
      ['credentials.c.ordr', 'order'],
      ['workspaces.w.routing.stratgy', 'strategy'],
      ['keys[0].redundancy.timout_ms', 'timeout_ms'],
      ['policies.standard.overlaoded', 'overloaded'],
      ['health.circuit.window', 'window_ms'],
    ]);
  });

  it('X-5: a text that is no YAML is told as that, without what follows from it', () => {
    for (const text of ['server:\n\tport: 1\n', 'aliases: [a\nkyes: []\n', '---\nversion: 1\n']) {
      const problems = problemsOf(text);
      expect(problems.length).toBeGreaterThan(0);
      expect(problems.filter(({ code }) => code !== 'syntax')).toEqual([]);
    }
  });

  it('X-5: merge keys and tagged bytes are refused in one line each', () => {
    expect(only('aliases: { <<: { a: up/a } }').message).toContain('merge keys');
    expect(only('aliases: { a: !!binary aGVsbG8= }')).toMatchObject({ code: 'syntax', path: 'aliases.a' });
  });

  it('X-5: a misspelt key is told once, not also as the one that is missing', () => {
    const text = [
      'credentials: { c: { provider: up, secrt: x } }',
      'keys: [{ nmae: k, secret: s }]',
      'aliases: { good: up/a }',
    ].join('\n');
    expect(problemsOf(text).map(({ code, path }) => [code, path])).toEqual([
      ['unknown_key', 'credentials.c.secrt'],
      ['unknown_key', 'keys[0].nmae'],
    ]);
    const models =
      'version: 1\nproviders: { up: { type: openai } }\nmodels: { "a b": {}, x.y: { chanels: [] }, z: {} }';
    const result = loadConfig({ text: models, file: 'f', env: {} });
    expect(result.ok ? [] : result.problems.map(({ code, path }) => [code, path])).toEqual([
      ['invalid_value', 'models["a b"]'],
      ['unknown_key', 'models["x.y"].chanels'],
      ['missing_key', 'models.z.channels'],
    ]);
  });

  it.each([
    ['server: { port: 70000 }', 'server.port', '0 to 65535'],
    ['server: { port: "abc" }', 'server.port', '0 to 65535'],
    ['server: { port: 1.5 }', 'server.port', 'whole number'],
    ['server: []', 'server', 'a mapping'],
    ['server:', 'server', 'a mapping'],
    ['server: { body_limit: 3parsecs }', 'server.body_limit', 'a size'],
    ['server: { body_limit: true }', 'server.body_limit', 'a size'],
    ['server: { drain_timeout: soon }', 'server.drain_timeout', 'a duration'],
    ['keys: {}', 'keys', 'a list'],
    ['keys: [{ name: k, secret: 12345 }]', 'keys[0].secret', 'quote it'],
    ['keys: [{ name: k, secret: "two words" }]', 'keys[0].secret', 'without spaces'],
    ['keys: [{ name: k, secret: s, expires_at: 2027-02-30 }]', 'keys[0].expires_at', '2027-12-31'],
    ['keys: [{ name: k }]', 'keys[0].secret', 'required'],
    ['defaults: { redundancy: { policy: standrad } }', 'defaults.redundancy.policy', 'standard, strict, permissive'],
    ['keys: [{ name: k, secret: s, redundancy: { on: [timeouts] } }]', 'keys[0].redundancy.on[0]', 'timeout'],
    ['health: { circuit: { ratio: 1.5 } }', 'health.circuit.ratio', 'at most 1'],
    ['backoff: { base_ms: -1 }', 'backoff.base_ms', '1 to'],
    ['store: mysql://x', 'store', 'sqlite:PATH'],
  ])('X-5: %s says what is allowed', (text, path, allowed) => {
    const problem = only(text);
    expect(problem.path).toBe(path);
    expect(problem.message).toContain(allowed);
    expect(problem.line).toBe(5);
  });

  it('X-5: version is required and 1', () => {
    const load = (text: string) => loadConfig({ text, file: 'f', env: {} });
    expect(load('keys: []')).toMatchObject({ ok: false, problems: [{ code: 'missing_key', path: 'version' }] });
    expect(load('version: 2')).toMatchObject({ ok: false, problems: [{ path: 'version', line: 1, column: 10 }] });
    expect(load('')).toMatchObject({ ok: false, problems: [{ code: 'missing_key' }] });
    expect(load('- a')).toMatchObject({ ok: false, problems: [{ path: '' }] });
    expect(load('version: 1')).toMatchObject({ ok: true });
  });

  it('X-5: all problems at once, of every kind, by their place', () => {
    const text =
      'servre: {}\naliases: { a: upp/zzz, a: up/b }\nkeys: [{ name: k, secret: ${NOPE}, workspace: w, redundancy: { retries: 9 } }]\nretention: { days: 3 }';
    expect(problemsOf(text).map((problem) => [problem.code, problem.path, problem.line])).toEqual([
      ['unknown_key', 'servre', 5],
      ['unknown_reference', 'aliases.a', 6],
      ['duplicate', 'aliases.a', 6],
      ['missing_variable', 'keys[0].secret', 7],
      ['unknown_reference', 'keys[0].workspace', 7],
      ['invalid_value', 'keys[0].redundancy.retries', 7],
      ['unknown_key', 'retention.days', 8],
    ]);
  });

  it('E-5: no secret in any message', () => {
    const text =
      'credentials: { c: { provider: up, secret: "sk very secret" } }\nkeys: [{ name: k, secret: [hush-hush] }, { name: l, secret: ${S}, expires_at: ${S} }]\nadmin: { token: "tok en-value" }';
    const said = JSON.stringify(problemsOf(text, { S: 'from env value' }));
    expect(said).toContain('credentials.c.secret');
    expect(said).not.toMatch(/sk very|hush|from env|en-value/);
  });

  it('E-5: a secret from the environment in the wrong place is not told either', () => {
    const [problem] = problemsOf('keys: [{ name: k, secret: s, workspace: "x-${S}" }]', { S: 'hush-value' });
    expect(problem?.message).toContain('`x-${S}`');
    expect(problem?.message).not.toContain('hush-value');
  });

  it('X-5: numbers and switches may come from the environment', () => {
    const text =
      'server: { port: ${PORT}, body_limit: ${LIMIT:-64kb} }\nkeys: [{ name: k, secret: ${DEV_KEY}, redundancy: { cross_model: ${CROSS:-false} } }]';
    const result = loadConfig({ text: BASE + text, file: 'f', env: ENV });
    expect(result.ok && [result.snapshot.server.port, result.snapshot.server.bodyLimit]).toEqual([4123, 65_536]);
    expect(result.ok && [...result.snapshot.keys.values()][0]?.redundancy.cross_model).toBe(false);
    expect(problemsOf('server: { port: "4123" }')).toHaveLength(1);
    expect(problemsOf('server: { port: ${PORT} }', { PORT: 'many' })[0]?.message).toContain('${PORT}');
  });
});

describe('C-4: ranges', () => {
  const ranges: [string, number, number][] = [
    ['timeout_ms', 1000, 300_000],
    ['first_token_timeout_ms', 500, 60_000],
    ['idle_timeout_ms', 1000, 600_000],
    ['stall_timeout_ms', 1000, 3_600_000],
    ['retries', 0, 5],
    ['max_attempts', 1, 20],
    ['deadline_ms', 1000, 3_600_000],
    ['max_wait_ms', 0, 60_000],
    ['max_held_bytes', 65_536, 33_554_432],
  ];
  it.each(ranges)('C-4: %s of keys and workspaces from %d to %d', (field, low, high) => {
    const key = (value: number) => problemsOf(`keys: [{ name: k, secret: s, redundancy: { ${field}: ${value} } }]`);
    const workspace = (value: number) => problemsOf(`workspaces: { w: { redundancy: { ${field}: ${value} } } }`);
    for (const at of [key, workspace]) {
      expect([low, high].flatMap(at)).toEqual([]);
      expect(at(low - 1)).toHaveLength(1);
      expect(at(high + 1)).toHaveLength(1);
    }
  });

  it("C-4: the operator's defaults may lie outside in both directions, but must be sane", () => {
    const text = (fields: string) => `defaults: { redundancy: { ${fields} } }`;
    expect(
      problemsOf(text('timeout_ms: 20, first_token_timeout_ms: 900000, max_attempts: 50, max_held_bytes: 1kb')),
    ).toEqual([]);
    expect(problemsOf(text('timeout_ms: 0'))).toHaveLength(1);
    expect(problemsOf(text('timeout_ms: 3000000000'))).toHaveLength(1);
    expect(problemsOf(text('max_attempts: -1, deadline_ms: .inf'))).toHaveLength(2);
  });
});

describe('X-5: references and duplicates', () => {
  it.each([
    ['credentials: { c: { provider: ups, secret: x } }', 'credentials.c.provider', 'up'],
    [
      'credentials: { c: { provider: up, secret: x, kind: byok, workspace: defalt } }',
      'credentials.c.workspace',
      'default',
    ],
    ['aliases: { x: upp/a }', 'aliases.x', 'up/a'],
    ['keys: [{ name: k, secret: s, models: ["up/*", up/aa] }]', 'keys[0].models[1]', 'up/a'],
    ['workspaces: { w: { enabled_models: [up/aa] } }', 'workspaces.w.enabled_models[0]', 'up/a'],
    ['keys: [{ name: k, secret: s, workspace: defualt }]', 'keys[0].workspace', 'default'],
    [
      'keys: [{ name: k, secret: s, failover_defaults: { models: [up/a, upp/b] } }]',
      'keys[0].failover_defaults.models[1]',
      'up/b',
    ],
  ])('X-5: %s', (text, path, suggestion) => {
    expect(problemsOf(text)).toMatchObject([{ code: 'unknown_reference', path, suggestion }]);
  });

  it('X-5: unknown provider and missing channels of a model', () => {
    const load = (models: string) =>
      loadConfig({ text: `version: 1\nproviders: { up: { type: openai } }\nmodels: ${models}`, file: 'f', env: {} });
    expect(load('{ m: { channels: [{ provider: upp }] } }')).toMatchObject({
      problems: [{ code: 'unknown_reference', path: 'models.m.channels[0].provider' }],
    });
    expect(load('{ plain: {} }')).toMatchObject({ problems: [{ code: 'missing_key', path: 'models.plain.channels' }] });
    expect(load('{ "other/x": {} }')).toMatchObject({ problems: [{ code: 'missing_key' }] });
    expect(load('{ "other/*": {} }')).toMatchObject({ problems: [{ code: 'unknown_reference' }] });
    expect(load('{ "*": {} }')).toMatchObject({ problems: [{ code: 'invalid_value' }] });
    expect(load('{ m: { channels: [{ provider: up }, { provider: up }] } }')).toMatchObject({
      problems: [{ code: 'duplicate' }],
    });
    expect(load('{ m: { channels: [{ id: a, provider: up }, { id: b, provider: up, weight: 1.5 }] } }')).toMatchObject({
      problems: [{ path: 'models.m.channels[1].weight' }],
    });
  });

  it('C-9: alias loops are shown, once per alias, and an alias may not hide a model', () => {
    expect(problemsOf('aliases: { a: b, b: c, c: a }').map((problem) => problem.code)).toEqual([
      'alias_loop',
      'alias_loop',
      'alias_loop',
    ]);
    expect(only('aliases: { a: a }').message).toContain('a → a');
    expect(only('aliases: { up/a: up/b }').code).toBe('duplicate');
    expect(problemsOf('aliases: { x: y, y: up/a }')).toEqual([]);
  });

  it('X-5: key names and secrets are unique, and the secret is not told', () => {
    const problems = problemsOf('keys: [{ name: k, secret: abcdef }, { name: k, secret: ${SAME} }]', {
      SAME: 'abcdef',
    });
    expect(problems.map((problem) => [problem.code, problem.path])).toEqual([
      ['duplicate', 'keys[1].name'],
      ['duplicate', 'keys[1].secret'],
    ]);
    expect(JSON.stringify(problems)).not.toContain('abcdef');
  });

  it('C-2: failover_defaults name at most 3 distinct models, counted behind aliases', () => {
    const text = (models: string) =>
      `aliases: { x: up/a }\nkeys: [{ name: k, secret: s, failover_defaults: { models: [${models}] } }]`;
    expect(problemsOf(text('up/a, up/b, up/c, up/d'))).toMatchObject([{ path: 'keys[0].failover_defaults.models' }]);
    expect(problemsOf(text('up/a, x, up/b, up/b, up/c'))).toEqual([]);
  });

  it('D-12: policies know only their rows and steps', () => {
    expect(problemsOf('policies: { standard: { maybe_executed: [stop, alert], empty: [next_model] } }')).toEqual([]);
    expect(only('policies: { standard: { overloaded: [retyr] } }').suggestion).toBe('retry');
    expect(only('policies: { lenient: {} }').code).toBe('unknown_key');
    expect(only('policies: { strict: { auth: [] } }').message).toContain('at least one');
    expect(only('policies: { strict: { auth: [stop, retry] } }').message).toContain('never reached');
  });

  it('X-5: a byok credential has a workspace, a platform credential none', () => {
    expect(only('credentials: { c: { provider: up, secret: x, kind: byok } }').code).toBe('missing_key');
    expect(only('credentials: { c: { provider: up, secret: x, workspace: default } }').path).toBe(
      'credentials.c.workspace',
    );
  });

  it('G-10: headers the gateway sets itself, bad names and twins are refused', () => {
    const headers = (text: string) =>
      loadConfig({ text: `version: 1\nproviders: { up: { type: openai, headers: ${text} } }`, file: 'f', env: {} });
    for (const text of ['{ Host: x }', '{ "a b": x }', '{ x-a: "1", X-A: "2" }', '{ x: "a\\nb" }']) {
      expect(headers(text)).toMatchObject({ ok: false, problems: [{ line: 2 }] });
    }
    expect(headers('{ X-Team: a }').ok).toBe(true);
  });

  it('E-5: an address with a password is refused without repeating it', () => {
    const result = loadConfig({
      text: 'version: 1\nproviders: { up: { type: openai, base_url: "http://u:hunter2@h/v1" } }',
      file: 'f',
      env: {},
    });
    expect(result).toMatchObject({ ok: false, problems: [{ path: 'providers.up.base_url' }] });
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });
});

describe('idempotency keys', () => {
  const snapshotOf = (text: string) => {
    const result = loadConfig({ text: `version: 1\n${text}`, file: 'f', env: {} });
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    return result.snapshot;
  };

  it('I-1, I-7: kept 24 h, 12 calls; 1 minute to 7 days', () => {
    expect(snapshotOf('').idempotency).toEqual({ windowMs: 86_400_000, maxAttemptsPerKey: 12 });
    const own = snapshotOf('idempotency: { window: 1m, max_attempts_per_key: 3 }');
    expect(own.idempotency).toEqual({ windowMs: 60_000, maxAttemptsPerKey: 3 });
    for (const window of ['59s', '8d']) {
      expect(only(`idempotency: { window: ${window} }`)).toMatchObject({ path: 'idempotency.window' });
    }
  });

  it('I-1, I-10: a key beats its workspace', () => {
    const { keys } = snapshotOf(
      [
        'workspaces: { w: { auto_idempotency: true, idempotency_scope: workspace } }',
        'keys:',
        '  - { name: a, secret: s1 }',
        '  - { name: b, secret: s2, workspace: w }',
        '  - { name: c, secret: s3, workspace: w, auto_idempotency: false, idempotency_scope: key }',
      ].join('\n'),
    );
    expect([...keys.values()].map(({ idempotency }) => idempotency)).toEqual([
      { auto: false, scope: 'key' },
      { auto: true, scope: 'workspace' },
      { auto: false, scope: 'key' },
    ]);
  });
});

describe('X-5: how a provider is called', () => {
  const load = (type: string, more: object) =>
    loadConfig({
      text: JSON.stringify({
        version: 1,
        providers: { p: { type, base_url: 'https://p.test', project: 'x' } },
        ...more,
      }),
      file: 'f',
      env: {},
    });
  const channel = (api: string) => ({ models: { m: { channels: [{ provider: 'p', api }] } } });

  it('a channel’s api is one its provider speaks, or may speak', () => {
    expect(load('openai', channel('responses'))).toMatchObject({ ok: true });
    expect(load('vllm', channel('responses'))).toMatchObject({ ok: true });
    expect(load('anthropic', channel('chat'))).toMatchObject({
      problems: [
        {
          code: 'invalid_value',
          path: 'models.m.channels[0].api',
          message: 'type anthropic does not speak it; it speaks `messages`',
        },
      ],
    });
    expect(load('sim', channel('carrier-pigeon'))).toMatchObject({ problems: [{ code: 'invalid_value' }] });
  });

  it('a key file is a secret where it is exchanged for tokens, and nowhere else', () => {
    const file = JSON.stringify(
      { client_email: 'r@x.iam', private_key: '-----BEGIN…'.replace('…', ' X'), n: 1 },
      null,
      2,
    );
    const credentials = { c: { provider: 'p', secret: file } };
    expect(load('vertex', { credentials })).toMatchObject({ ok: true });
    expect(load('openai', { credentials })).toMatchObject({
      problems: [{ path: 'credentials.c.secret', message: 'type openai takes a key, not a key file' }],
    });
    expect(load('vertex', { credentials: { c: { provider: 'p', secret: 'two words' } } })).toMatchObject({ ok: false });
  });

  it('the project may be left to the account’s key file', () => {
    const secret = JSON.stringify({ project_id: 'acme-1', client_email: 'r@x.iam', private_key: 'k' });
    const loaded = loadConfig({
      text: JSON.stringify({
        version: 1,
        providers: { p: { type: 'vertex' } },
        credentials: { c: { provider: 'p', secret } },
        models: { 'p/gemini-3': {} },
      }),
      file: 'f',
      env: {},
    });
    expect(loaded.ok && loaded.snapshot.channels[0]!.provider.project).toBe('acme-1');
  });
});

describe('X-5: options of later versions', () => {
  it('X-5: a type asks for what its address is made of, an unknown one gets a suggestion', () => {
    const load = (type: string) =>
      loadConfig({ text: `version: 1\nproviders: { p: { type: ${type} } }`, file: 'f', env: {} });
    expect(load('anthropic')).toMatchObject({ ok: true });
    for (const [type, key] of [
      ['bedrock', 'region'],
      ['vertex', 'project'],
      ['azure-openai', 'base_url'],
    ] as const) {
      expect(load(type)).toMatchObject({ problems: [{ code: 'missing_key', path: `providers.p.${key}` }] });
    }
    expect(load('bedrock, base_url: https://proxy.test')).toMatchObject({ ok: true });
    expect(load('opnai')).toMatchObject({ problems: [{ code: 'invalid_value', suggestion: 'openai' }] });
    expect(load('openai-compatible')).toMatchObject({
      problems: [{ code: 'missing_key', path: 'providers.p.base_url' }],
    });
  });

  it('X-5: values that ask for nothing are accepted', () => {
    const text = [
      'store: sqlite:./x.db',
      'shared: memory',
      'webhooks: {}',
      'answers: {}',
      'workspaces: { w: { default_model: null, balance_usd: null, routing: { strategy: priority, affinity: none, channels: {} }, virtual_models: {}, auto: [], guardrails: { deny_models: [] }, auto_idempotency: false, enabled_channels: ["*"] } }',
      'keys: [{ name: k, secret: s, limits: {}, auto_idempotency: false, allow_rehearse: true, idempotency_scope: key, redundancy: { on_exhausted: [], skip_incapable: true, priority: low, on_duplicate: join } }]',
    ].join('\n');
    expect(problemsOf(text)).toEqual([]);
  });
});

describe('loadConfigFile', () => {
  it('X-5: an unreadable file is a problem, not an exception', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'understudy-config-'));
    try {
      const missing = await loadConfigFile(join(folder, 'none.yaml'), { env: {} });
      expect(missing).toMatchObject({ ok: false, problems: [{ code: 'unreadable' }] });
      expect(await loadConfigFile(folder, { env: {} })).toMatchObject({
        ok: false,
        problems: [{ code: 'unreadable' }],
      });
      await writeFile(join(folder, 'bytes.yaml'), Buffer.from([0x76, 0xff, 0xfe]));
      expect(await loadConfigFile(join(folder, 'bytes.yaml'), { env: {} })).toMatchObject({ ok: false });
      await writeFile(join(folder, 'good.yaml'), 'version: 1');
      expect(await loadConfigFile(join(folder, 'good.yaml'), { env: {} })).toMatchObject({ ok: true });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
