/** The scripts that must work before anything is installed: tried as programs, and on folders made for it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listFiles, parseSource, ROOT } from './source-tree.ts';

const SETUP = path.join(ROOT, 'scripts', 'setup.mjs');

/** Runs lines of JavaScript that may use what setup.mjs exports. */
function withSetup(names: string, code: string): { status: number | null; output: string } {
  const program = `import { ${names} } from ${JSON.stringify(SETUP)};\n${code}`;
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return { status: result.status, output: result.stdout + result.stderr };
}

describe('before anything is installed', () => {
  it('the scripts use nothing but Node and each other', () => {
    const files = ['setup', 'build', 'services', 'reports', 'test', 'demo', 'bench'].map(
      (name) => `scripts/${name}.mjs`,
    );
    const own = new Set(files);
    const foreign = files.flatMap((file) =>
      parseSource(file, readFileSync(path.join(ROOT, file), 'utf8'))
        .imports.filter(({ specifier, target }) => {
          return target === null ? !builtinModules.includes(specifier.replace('node:', '')) : !own.has(target);
        })
        .map(({ specifier }) => `${file} → ${specifier}`),
    );
    expect(foreign).toEqual([]);
  });

  it('too old a Node is told what it takes', () => {
    const { status, output } = withSetup('requireNode', "requireNode('20.18.3')");
    expect(status).toBe(1);
    expect(output).toContain('needs Node 20.19.0 or newer; this is 20.18.3');
  });

  it.each(['20.19.0', '20.20.2', '22.0.0', '26.10.0'])('Node %s will do', (version) => {
    expect(withSetup('requireNode', `requireNode('${version}')`)).toEqual({ status: 0, output: '' });
  });

  it('a suite nobody knows is wrong usage, with the names there are', () => {
    const args = [path.join(ROOT, 'scripts', 'test.mjs'), '--only', 'unti'];
    const result = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(result.status).toBe(2);
    expect(result.stderr).toContain('Unknown suite: unti');
    expect(result.stderr).toContain('unit');
  });
});

describe('started by npm', () => {
  it('a program ends when the shell between it and npm is ended', async () => {
    const child = `process.stdout.write(process.pid + '\\n'); process.on('SIGTERM', () => process.exit()); setInterval(() => {}, 1e6);`;
    const script = `import { run } from ${JSON.stringify(SETUP)};
      await run(process.execPath, ['-e', ${JSON.stringify(child)}]);`;
    const command = 'node --input-type=module -e "$SCRIPT"; exit $?';
    const env = { ...process.env, SCRIPT: script, npm_lifecycle_event: 'demo' };
    const shell = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(shell.stdout, 'data')) as [Buffer];
    const pid = Number(String(line));
    const closed = once(shell.stdout, 'close');
    shell.kill('SIGTERM');
    // The pipe is open for as long as one of them lives.
    await closed;
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });
});

describe('what is installed against the lock', () => {
  let folder: string;
  const lock = { a: { version: '1.0.0' }, b: { version: '2.0.0' }, c: { version: '3.0.0', optional: true } };
  const packages = (versions: Record<string, object>) =>
    JSON.stringify({
      packages: Object.fromEntries(Object.entries(versions).map(([n, e]) => [`node_modules/${n}`, e])),
    });
  const install = async (versions: Record<string, object>) => {
    const modules = path.join(folder, 'node_modules');
    await rm(modules, { recursive: true, force: true });
    for (const name of Object.keys(versions)) await mkdir(path.join(modules, name), { recursive: true });
    await writeFile(path.join(modules, '.package-lock.json'), packages(versions));
  };
  const reason = () =>
    withSetup('missingPackages', `process.stdout.write(String(missingPackages(${JSON.stringify(folder)})))`).output;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'understudy-setup-'));
    await writeFile(path.join(folder, 'package-lock.json'), packages(lock));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('nothing yet', () => {
    expect(reason()).toBe('nothing is installed yet');
  });

  it('all there, optional ones or not', async () => {
    await install({ a: lock.a, b: lock.b });
    expect(reason()).toBe('null');
  });

  it('one missing, in the list or on the disk', async () => {
    await install({ a: lock.a });
    expect(reason()).toBe('node_modules/b is missing');
    await install({ a: lock.a, b: lock.b });
    await rm(path.join(folder, 'node_modules', 'b'), { recursive: true });
    expect(reason()).toBe('node_modules/b is missing');
  });

  it('another version', async () => {
    await install({ a: lock.a, b: { version: '2.1.0' } });
    expect(reason()).toBe('node_modules/b is 2.1.0, the lock says 2.0.0');
  });
});

describe('continuous integration', () => {
  it('runs what the readme tells a stranger to run', () => {
    const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
    const commands = readFileSync(path.join(ROOT, '.ci', 'run'), 'utf8');
    for (const command of ['npm test', 'npm run demo -- --once']) {
      expect(readme).toContain(command);
      expect(commands).toContain(command);
    }
  });

  it('every place in the code that a page names is there', () => {
    const lost = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/discoveries/README.md'].flatMap((page) => {
      const text = readFileSync(path.join(ROOT, page), 'utf8');
      const named = [...text.matchAll(/`([a-z-]+\/[\w./*-]+)`/g)].map((match) => match[1] as string);
      // `dialects/*/request.ts`: any of them will do, today there is one.
      const places = (name: string) => ['', 'src'].map((top) => path.join(ROOT, top, name.replace('*', 'chat')));
      return named.filter((name) => !places(name).some(existsSync)).map((name) => `${page} → ${name}`);
    });
    expect(lost).toEqual([]);
  });

  it('every page that a page points to is there', () => {
    const top = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'sim/README.md'];
    const pages = [...listFiles('docs', '.md'), ...listFiles('examples', '.md'), ...top];
    const lost = pages.flatMap((page) => {
      const text = readFileSync(path.join(ROOT, page), 'utf8');
      const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((match) => match[1] as string);
      const target = (link: string) => path.join(ROOT, path.dirname(page), link);
      return links.filter((link) => !existsSync(target(link))).map((link) => `${page} → ${link}`);
    });
    expect(lost).toEqual([]);
  });
});
