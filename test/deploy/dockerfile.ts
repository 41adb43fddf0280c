/** A Dockerfile, read: its stages and what each does. */

export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

export interface Stage {
  readonly image: string;
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

/** What is copied into a stage. `from` = a stage's name, null = the build context. */
export interface Copy {
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

export function readDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { image: string; name: string | null; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, word = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (word === '') throw new Error(`no instruction: ${line}`);
    const from = /^(\S+)(?: AS (\S+))?$/.exec(rest);
    if (word === 'FROM') stages.push({ image: from![1]!, name: from![2] ?? null, instructions: [] });
    else stages.at(-1)!.instructions.push({ word, rest: rest.trim() });
  }
  return stages;
}

export function copiesOf({ instructions }: Stage): Copy[] {
  return instructions
    .filter(({ word }) => word === 'COPY')
    .map(({ rest }) => {
      const words = rest.split(/\s+/);
      const from = words[0]!.startsWith('--from=') ? words.shift()!.slice('--from='.length) : null;
      return { from, sources: words.slice(0, -1), target: words.at(-1)! };
    });
}

/** The last word of its kind: it is the one that holds. */
export function settingOf({ instructions }: Stage, word: string): string | undefined {
  return instructions.findLast((one) => one.word === word)?.rest;
}

/** `CMD ["a", "b"]`. */
export function listOf(stage: Stage, word: string): string[] {
  return JSON.parse(settingOf(stage, word) ?? '[]') as string[];
}
