/** The image's recipe, carried out without an image: what it copies is enough to build, and what is left is enough to run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSimulator } from '../../sim/index.ts';
import { ROOT } from '../architecture/source-tree.ts';
import { type Copy, copiesOf, listOf, readDockerfile, settingOf } from './dockerfile.ts';

const text = readFileSync(path.join(ROOT, 'deploy/docker/Dockerfile'), 'utf8');
const [build, image] = readDockerfile(text) as [
  ReturnType<typeof readDockerfile>[0],
  ReturnType<typeof readDockerfile>[0],
];
const ignore = readFileSync(path.join(ROOT, 'deploy/docker/Dockerfile.dockerignore'), 'utf8');
const allowed = ignore.split('\n').flatMap((line) => /^!(\S+)$/.exec(line)?.[1] ?? []);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'understudy-image-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the list takes out again of what it lets through. */
function isIgnored(file: string): boolean {
  return file.endsWith('.test.ts') || file === path.join(ROOT, 'console', 'node_modules');
}

/** As Docker copies: a folder's content into a folder of the name given. */
function copy({ sources, target }: Copy, from: string, into: string): void {
  for (const source of sources) {
    const kept = existsSync(path.join(from, source)) ? source : null;
    expect(kept, `${source} is there to be copied`).toBe(source);
    const to =
      sources.length > 1 || target.endsWith('/')
        ? path.join(into, target, path.basename(source))
        : path.join(into, target);
    cpSync(path.join(from, source), to, { recursive: true, filter: (file) => !isIgnored(file) });
  }
}

interface Locked {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly resolved?: string }>>;
}
const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as Locked;

/** What `npm prune --omit=dev` leaves. */
function linkProductionPackages(into: string): void {
  for (const [place, { dev }] of Object.entries(lock.packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place)?.[1];
    const installed = path.join(ROOT, place);
    if (name === undefined || dev === true || !existsSync(installed)) continue;
    mkdirSync(path.dirname(path.join(into, 'node_modules', name)), { recursive: true });
    symlinkSync(installed, path.join(into, 'node_modules', name));
  }
}

describe('the recipe', () => {
  it('has a stage that builds and one that runs, which takes nothing but the result along', () => {
    expect([build.name, image.name]).toEqual(['build', null]);
    expect(
      copiesOf(image)
        .filter(({ from }) => from !== null)
        .map(({ from, sources }) => [from, ...sources]),
    ).toEqual([
      ['build', '/build/node_modules'],
      ['build', '/build/dist/src'],
      ['build', '/build/dist/sim'],
      ['build', '/build/dist/console'],
    ]);
  });

  it('asks the npm registry alone', () => {
    const commands = [build, image].flatMap(({ instructions }) => instructions.filter(({ word }) => word === 'RUN'));
    for (const { rest } of commands) expect(rest).not.toMatch(/\b(apt|apt-get|apk|curl|wget|git|pip)\b/);
    expect(text).toContain('--registry="$NPM_REGISTRY"');
    const elsewhere = Object.values(lock.packages).filter(
      ({ resolved }) => resolved?.startsWith('https://registry.npmjs.org/') === false,
    );
    expect(elsewhere).toEqual([]);
  });

  it('runs as a user that is not root, and stops by the signal the gateway listens to', () => {
    expect(settingOf(image, 'USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(settingOf(image, 'STOPSIGNAL')).toBe('SIGTERM');
    // The folder of its records is its own.
    const owned = image.instructions.find(({ word, rest }) => word === 'RUN' && rest.includes('chown 1000:1000'));
    expect(owned?.rest).toContain(settingOf(image, 'VOLUME'));
    expect(listOf(image, 'CMD')).toContain(settingOf(image, 'VOLUME'));
  });

  it('lets what it copies through the list of what is ignored, and no more', () => {
    const sources = [build, image]
      .flatMap((stage) => copiesOf(stage))
      .filter(({ from }) => from === null)
      .flatMap((one) => one.sources);
    expect([...new Set(sources)].sort()).toEqual([...allowed].sort());
  });

  it('uses a Node that the package allows', () => {
    const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    for (const stage of [build, image]) {
      const major = Number(/^node:(\d+)-/.exec(stage.image)?.[1]);
      expect(major).toBeGreaterThan(Number(/>=(\d+)/.exec(engines.node)?.[1]));
    }
  });
});

describe('carried out', () => {
  let running: ChildProcess | null = null;
  afterAll(() => running?.kill('SIGKILL'));

  it('what the first stage copies compiles; what the second keeps starts, is healthy, stops by its signal', async () => {
    const [building, kept] = [path.join(folder, 'build'), path.join(folder, 'image')];
    for (const one of copiesOf(build)) copy(one, ROOT, building);
    for (const packages of ['node_modules', 'console/node_modules']) {
      symlinkSync(path.join(ROOT, packages), path.join(building, packages));
    }
    expect(build.instructions.some(({ rest }) => rest.startsWith('node scripts/build.mjs --force'))).toBe(true);
    expect(
      await exitOf(spawn(process.execPath, ['scripts/build.mjs', '--force'], { cwd: building, stdio: 'ignore' })),
    ).toBe(0);
    for (const one of copiesOf(image)) {
      if (one.from === null) copy(one, ROOT, kept);
      else if (!one.target.includes('node_modules'))
        copy({ ...one, sources: one.sources.map((source) => path.relative('/build', source)) }, building, kept);
    }
    linkProductionPackages(kept);
    const port = await freePort();
    const [command, script] = listOf(image, 'ENTRYPOINT') as [string, string];
    expect([command, script]).toEqual(['node', '/opt/understudy/bin/understudy']);
    const args = listOf(image, 'CMD').map((word) =>
      word === '4000' ? `${port}` : word.startsWith('/') ? folder : word,
    );
    const work = path.join(folder, 'etc');
    mkdirSync(work);
    running = spawn(process.execPath, [path.join(kept, path.relative('/opt/understudy', script)), ...args], {
      cwd: work,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = exitOf(running);
    await Promise.race([firstLine(running), exit.then((code) => Promise.reject(new Error(`ended with ${code}`)))]);
    const check = settingOf(image, 'HEALTHCHECK')!.replace(/^.*? CMD /, '');
    const [, ...probe] = (JSON.parse(check) as string[]).map((word) => word.replace(':4000/', `:${port}/`));
    expect(await exitOf(spawn(process.execPath, probe))).toBe(0);
    running.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(await exitOf(spawn(process.execPath, probe))).toBe(1);
    // What it wrote lies in its volume, and nowhere else.
    expect(readdirSync(work)).toEqual([]);
  }, 300_000);
});

async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

async function firstLine(child: ChildProcess): Promise<void> {
  await once(createInterface({ input: child.stdout! }), 'line');
}

async function freePort(): Promise<number> {
  const taken = await startSimulator();
  await taken.close();
  return Number(new URL(taken.url).port);
}
