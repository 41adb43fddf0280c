/** Sizes and durations as people write them. */

const SIZE_UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };
const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

// Written without flags: the JSON Schema shows the same expression to editors.
export const SIZE_PATTERN = /^\s*(\d+(?:\.\d+)?)\s*([bB]|[kK][bB]|[mM][bB]|[gG][bB])?\s*$/;
export const DURATION_PATTERN = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*$/;

function read(text: string, pattern: RegExp, units: Readonly<Record<string, number>>, bare: number): number | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  const unit = match[2] === undefined ? bare : units[match[2].toLowerCase()];
  return unit === undefined ? null : Math.round(Number(match[1]) * unit);
}

/** `32mb`, `64kb`, `1024` → bytes (1 kb = 1024); null when it is no size. */
export function parseSize(text: string): number | null {
  return read(text, SIZE_PATTERN, SIZE_UNITS, 1);
}

/** `300s`, `5m`, `500ms`, `500` → milliseconds (without a unit: milliseconds); null when it is no duration. */
export function parseDuration(text: string): number | null {
  return read(text, DURATION_PATTERN, DURATION_UNITS, 1);
}

/** Bytes as the largest whole unit: 33554432 → `32mb`. */
export function formatSize(bytes: number): string {
  for (const unit of ['gb', 'mb', 'kb']) {
    const factor = SIZE_UNITS[unit]!;
    if (bytes >= factor && bytes % factor === 0) return `${bytes / factor}${unit}`;
  }
  return `${bytes} bytes`;
}
