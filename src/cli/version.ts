/** The version of the package this code belongs to. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** From the nearest package.json above this file: the sources and the compiled files lie at different depths. */
export function packageVersion(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const text = readIfThere(join(folder, 'package.json'));
    if (text !== null) return String((JSON.parse(text) as { version?: unknown }).version ?? 'unknown');
    if (folder === dirname(folder)) return 'unknown';
  }
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
