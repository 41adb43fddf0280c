/** Compose, Kubernetes and systemd files against the code: flags, variables, ports, probes, times, configuration. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { loadConfig } from '../../src/config/load.ts';
import { parseDuration } from '../../src/config/units.ts';
import { OPS_ROUTES } from '../../src/server/admin/register-ops.ts';
import { listFiles, ROOT } from '../architecture/source-tree.ts';
import { TestShell } from '../cli/test-shell.ts';
import { listOf, readDockerfile, settingOf } from './dockerfile.ts';

type Tree = Record<string, never> & { readonly [name: string]: Tree };

const read = (file: string): string => readFileSync(path.join(ROOT, 'deploy', file), 'utf8');
const tree = (file: string): Tree => parse(read(file)) as Tree;
const words = (node: unknown): string[] => node as string[];

const image = readDockerfile(read('docker/Dockerfile')).at(-1)!;
const compose = tree('compose/compose.yaml');
const deployment = tree('kubernetes/deployment.yaml');
const pod = deployment['spec']!['template']!['spec']!;
const container = (pod['containers'] as unknown as Tree[])[0]!;
const unit = read('systemd/understudy.service');

/** Every value of a key of the unit, in order. */
const inUnit = (key: string): string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value!);

/** `serve`'s own options, by its help. */
async function flags(): Promise<string> {
  const shell = new TestShell();
  await runCommandLine(['serve', '--help'], shell);
  return shell.printed.join('\n');
}

describe('all files', () => {
  it.each(listFiles('deploy', '.yaml'))('%s is sound YAML, with no key twice', (file) => {
    const document = parseDocument(readFileSync(path.join(ROOT, file), 'utf8'), { uniqueKeys: true });
    expect([...document.errors, ...document.warnings]).toEqual([]);
  });

  it.each([
    ['the image', listOf(image, 'CMD')],
    ['the pod', words(container['args'])],
    ['the unit', inUnit('ExecStart')[0]!.split(' ').slice(2)],
  ])('%s serves with options that exist', async (_what, args) => {
    const help = await flags();
    expect(args[0]).toBe('serve');
    const given = args.filter((word) => word.startsWith('--'));
    expect(given).toContain('--data');
    for (const flag of given) expect(help).toMatch(new RegExp(`${flag} <`));
  });

  it('one port and one folder in all of them', () => {
    const port = settingOf(image, 'EXPOSE');
    expect(port).toBe('4000');
    const data = settingOf(image, 'VOLUME')!;
    for (const args of [listOf(image, 'CMD'), words(container['args'])]) {
      expect(args[args.indexOf('--port') + 1]).toBe(port);
      expect(args[args.indexOf('--data') + 1]).toBe(data);
      // Whoever is outside the container must reach it.
      expect(args[args.indexOf('--host') + 1]).toBe('0.0.0.0');
    }
    expect(
      (container['ports'] as unknown as { containerPort: number }[]).map(({ containerPort }) => `${containerPort}`),
    ).toEqual([port]);
    expect(read('compose/haproxy.cfg')).toMatch(new RegExp(`server-template gateway- \\d+ gateway:${port}`));
    expect(words(compose['services']!['front']!['ports'])[0]).toMatch(new RegExp(`:${port}$`));
    expect(words(compose['services']!['gateway']!['volumes'])).toEqual([data]);
    expect(inUnit('ExecStart')[0]).toContain(`--data ${data}`);
    expect(`/var/lib/${inUnit('StateDirectory')[0]}`).toBe(data);
  });

  it('probes ask what is served: the process for its life, readiness for requests', () => {
    const served = OPS_ROUTES.map((route) => route.path);
    const pathOf = (probe: string): string => container[probe]!['httpGet']!['path'] as unknown as string;
    expect([pathOf('livenessProbe'), pathOf('startupProbe'), pathOf('readinessProbe')]).toEqual([
      '/healthz',
      '/healthz',
      '/readyz',
    ]);
    const front = /http-check send meth GET uri (\S+)/.exec(read('compose/haproxy.cfg'))?.[1];
    const own = /127\.0\.0\.1:4000(\/\w+)/.exec(settingOf(image, 'HEALTHCHECK')!)?.[1];
    expect([front, own]).toEqual(['/readyz', '/healthz']);
    for (const asked of [pathOf('livenessProbe'), pathOf('readinessProbe'), front, own])
      expect(served).toContain(asked);
    const ports = container['ports'] as unknown as { name: string }[];
    for (const probe of ['livenessProbe', 'startupProbe', 'readinessProbe'])
      expect(container[probe]!['httpGet']!['port']).toBe(ports[0]!.name);
  });

  it('the front sends on no request that may have been received: connections that failed alone', () => {
    expect(
      read('compose/haproxy.cfg')
        .match(/^\s*retry-on .*$/m)?.[0]
        .trim(),
    ).toBe('retry-on conn-failure');
  });
});

/** A value for each `${NAME}` of a text. */
function variablesOf(text: string): Record<string, string> {
  const names = [...text.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => name!);
  return Object.fromEntries(names.map((name, at) => [name, VALUES[name] ?? `secret-${at}-0123456789abcdef`]));
}
const VALUES: Readonly<Record<string, string>> = {
  UNDERSTUDY_STORE: 'postgres://understudy:secret-0123456789@db:5432/understudy',
  UNDERSTUDY_SHARED: 'redis://redis:6379',
};

describe.each(['compose', 'kubernetes'])('the configuration for %s', (where) => {
  const file = `${where}/understudy.yaml`;
  const env = variablesOf(read(file));

  it('is a good one, for several gateways over one store', () => {
    const loaded = loadConfig({ text: read(file), file, env });
    expect(loaded.ok ? [] : loaded.problems).toEqual([]);
    const config = parse(read(file)) as { store: string; shared: string };
    const filled = (value: string): string => value.replace(/\$\{([A-Z_]+)\}/g, (_, name: string) => env[name]!);
    expect([filled(config.store), filled(config.shared)]).toEqual([
      expect.stringMatching(/^postgres:\/\//),
      expect.stringMatching(/^redis:\/\//),
    ]);
  });

  it('says so before it stops, longer than it takes to be heard, and is given the time for it', () => {
    const { server } = parse(read(file)) as { server: { drain_lead: string; drain_timeout: string } };
    const [lead, timeout] = [parseDuration(server.drain_lead)!, parseDuration(server.drain_timeout)!];
    const heardMs = where === 'compose' ? 1000 : 2000 * Number(container['readinessProbe']!['failureThreshold']);
    expect(lead).toBeGreaterThanOrEqual(3 * heardMs);
    const given =
      where === 'compose'
        ? parseDuration(compose['services']!['gateway']!['stop_grace_period'] as unknown as string)!
        : 1000 * Number(pod['terminationGracePeriodSeconds']);
    expect(given).toBeGreaterThan(lead + timeout);
  });
});

describe('compose', () => {
  const services = compose['services']!;

  it('hands each variable of the configuration to the gateway, and refuses to start without one', () => {
    const given = services['gateway']!['environment'] as unknown as Record<string, string>;
    for (const name of Object.keys(variablesOf(read('compose/understudy.yaml')))) expect(given).toHaveProperty(name);
    expect(given).toHaveProperty('UNDERSTUDY_SEAL_KEY');
    for (const [name, value] of Object.entries(given)) expect(value).toMatch(new RegExp(`^\\$\\{${name}:\\?`));
    const example = read('compose/env.example');
    for (const name of Object.keys(given)) expect(example).toMatch(new RegExp(`^${name}=$`, 'm'));
  });

  it('three gateways, built from the recipe, over the store and the shared state of the configuration', () => {
    expect(services['gateway']!['deploy']!['replicas']).toBe(3);
    const { context, dockerfile } = services['gateway']!['build'] as unknown as { context: string; dockerfile: string };
    expect(path.resolve(ROOT, 'deploy/compose', context, dockerfile)).toBe(path.join(ROOT, 'deploy/docker/Dockerfile'));
    const config = parse(read('compose/understudy.yaml')) as { store: string; shared: string };
    const hosts = [config.store, config.shared].map((url) => /[/@]([a-z]+):\d+/.exec(url)?.[1]);
    expect(hosts).toEqual(['postgres', 'redis']);
    expect(Object.keys(services)).toEqual(expect.arrayContaining(['gateway', 'front', ...hosts]));
    expect(config.store).toBe(`postgres://${dbOf('USER')}:\${POSTGRES_PASSWORD}@postgres:5432/${dbOf('DB')}`);
  });

  const dbOf = (what: string): string => services['postgres']!['environment']![`POSTGRES_${what}`] as unknown as string;

  it('every file and volume it names is there', () => {
    const files = Object.values(compose['configs'] as unknown as Record<string, { file: string }>).map(
      ({ file }) => file,
    );
    const there = readdirSync(path.join(ROOT, 'deploy/compose')).map((name) => `./${name}`);
    expect(there).toEqual(expect.arrayContaining(files));
    const used = Object.values(services as Record<string, Tree>).flatMap((service) =>
      words(service['volumes'] ?? []).map((volume) => volume.split(':')[0]!),
    );
    expect(used.filter((volume) => !volume.startsWith('/'))).toEqual(Object.keys(compose['volumes']!));
  });
});

describe('Kubernetes', () => {
  it('takes from a secret what the configuration asks for, as the page on top of it says', () => {
    const head = read('kubernetes/kustomization.yaml');
    for (const name of ['UNDERSTUDY_SEAL_KEY', ...Object.keys(variablesOf(read('kubernetes/understudy.yaml')))])
      expect(head).toContain(`--from-literal=${name}=`);
    const secret = /create secret generic (\S+)/.exec(head)?.[1];
    expect(container['envFrom']).toEqual([{ secretRef: { name: secret } }]);
  });

  it('runs as the image does: not root, nothing but its folder writable', () => {
    const user = Number(settingOf(image, 'USER')!.split(':')[0]);
    expect(pod['securityContext']).toMatchObject({ runAsNonRoot: true, runAsUser: user, fsGroup: user });
    expect(container['securityContext']).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
    const mounts = container['volumeMounts'] as unknown as { name: string; mountPath: string; readOnly?: boolean }[];
    expect(mounts.filter(({ readOnly }) => readOnly !== true).map(({ mountPath }) => mountPath)).toEqual([
      settingOf(image, 'VOLUME'),
    ]);
    expect(mounts.find(({ name }) => name === 'config')?.mountPath).toBe(settingOf(image, 'WORKDIR'));
  });

  it('a rollout never has fewer than all of them ready', () => {
    expect(deployment['spec']!['strategy']).toMatchObject({ rollingUpdate: { maxUnavailable: 0 } });
  });

  it('kubectl puts it together, where there is one', () => {
    const made = spawnSync('kubectl', ['kustomize', path.join(ROOT, 'deploy/kubernetes')], { encoding: 'utf8' });
    if (made.error !== undefined) return;
    expect([made.status, made.stderr]).toEqual([0, '']);
    const kinds = made.stdout.split(/^---$/m).map((one) => (parse(one) as { kind: string }).kind);
    expect(kinds.sort()).toEqual(['ConfigMap', 'Deployment', 'PodDisruptionBudget', 'Service']);
    const label = { 'app.kubernetes.io/name': 'understudy' };
    const parts = made.stdout.split(/^---$/m).map((one) => parse(one) as Tree);
    const spec = (kind: string): Tree => parts.find((part) => (part['kind'] as unknown) === kind)!['spec']!;
    expect(spec('Deployment')['template']!['metadata']!['labels']).toMatchObject(label);
    for (const kind of ['Deployment', 'PodDisruptionBudget'])
      expect(spec(kind)['selector']).toEqual({ matchLabels: label });
    expect(spec('Service')['selector']).toEqual(label);
    expect(made.stdout).toMatch(/^ {12}name: understudy-[a-z0-9]{10}$|name: understudy-[a-z0-9]{10}/m);
  });
});

describe('systemd', () => {
  it('stops by the signal that drains, loads again by the one that reloads, waits long enough', () => {
    expect([inUnit('KillSignal'), inUnit('ExecReload')]).toEqual([['SIGTERM'], ['/bin/kill -HUP $MAINPID']]);
    const timeout = loadConfig({ text: 'version: 1\nproviders: { sim: { type: sim } }\n', file: 'none', env: {} });
    if (!timeout.ok) throw new Error('the smallest configuration is good');
    const { drainLeadMs, drainTimeoutMs } = timeout.snapshot.server;
    expect(parseDuration(inUnit('TimeoutStopSec')[0]!)).toBeGreaterThan(drainLeadMs + drainTimeoutMs);
  });

  it('systemd finds nothing wrong with it, where there is one', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'understudy-unit-'));
    try {
      // Programs must be there to be verified: this machine's own stand in for the installed ones.
      const here = unit.replace(
        '/usr/bin/node /opt/understudy/bin/understudy',
        `${process.execPath} ${ROOT}/bin/understudy`,
      );
      const file = path.join(folder, 'understudy.service');
      writeFileSync(file, here);
      const found = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
      if (found.error !== undefined) return;
      expect([found.status, found.stdout + found.stderr]).toEqual([0, '']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
