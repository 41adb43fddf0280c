/** Gathers the licences of everything that is bundled into one file beside it: who ships their code ships their words. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

const FILE = 'licences.txt';
const MARK = `${path.sep}node_modules${path.sep}`;

/** The folder of the package that a module lies in; null = it is our own. */
function packageOf(id: string): string | null {
  const file = id.split('?', 1)[0] ?? '';
  const at = file.lastIndexOf(MARK);
  if (at < 0) return null;
  const [first = '', second = ''] = file.slice(at + MARK.length).split(path.sep);
  return path.join(file.slice(0, at + MARK.length), first.startsWith('@') ? path.join(first, second) : first);
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const words = texts.map((file) => readFileSync(path.join(folder, file), 'utf8').trim()).join('\n\n');
  if (words === '' && license === undefined) throw new Error(`${name} is bundled and has no licence`);
  return `${name} ${version}\nLicence: ${license ?? 'see below'}\n\n${words}`;
}

/** Writes `licences.txt`. */
export function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle() {
      const folders = new Set([...this.getModuleIds()].map(packageOf).filter((folder) => folder !== null));
      const parts = [...folders].sort().map(licenceOf);
      this.emitFile({ type: 'asset', fileName: FILE, source: `${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n` });
    },
  };
}
