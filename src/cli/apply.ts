/** `understudy apply FILE`: differences first, then, if wanted, the file in force. */
import { readConfigText } from '../config/load.ts';
import type { ApplyAnswer } from '../config/objects/applying.ts';
import { type AdminClient, adminClient, type Json } from './admin-client.ts';
import { tame } from './paint.ts';
import { renderDifferences } from './render-differences.ts';
import { CommandFailure, type Shell } from './shell.ts';

export interface ApplyOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly url?: string;
  readonly json?: boolean;
}

export async function apply(shell: Shell, file: string, options: ApplyOptions): Promise<void> {
  const read = await readConfigText(file);
  if (!read.ok) throw new CommandFailure(`${file}: ${read.problems[0]?.message ?? 'cannot be read'}`);
  const asks = options.yes !== true && options.dryRun !== true;
  if (asks && (options.json === true || shell.ask === undefined)) {
    throw new CommandFailure('nobody can be asked here: say --yes to apply, or --dry-run to see the differences', 2);
  }
  const client = adminClient(shell, options.url);
  const order = { text: read.text, name: file };
  const looked = await send(client, { ...order, dry_run: true });
  if (options.json !== true) tell(shell, looked);
  if (options.dryRun === true) {
    if (options.json === true) shell.print(JSON.stringify(looked, null, 2));
    return;
  }
  if (asks && changesAnything(looked)) await mustBeWanted(shell, client.url);
  // Without differences too: the text is kept for a start without a file.
  const done = await send(client, { ...order, dry_run: false, base: looked.base });
  shell.print(options.json === true ? JSON.stringify(done, null, 2) : shell.paint.good(`applied to ${client.url}`));
}

async function mustBeWanted(shell: Shell, url: string): Promise<void> {
  const answer = (await shell.ask?.(`Apply this to ${url}? [y/N] `)) ?? '';
  if (/^\s*y(es)?\s*$/i.test(answer)) return;
  throw new CommandFailure('nothing was applied');
}

function tell(shell: Shell, answer: ApplyAnswer): void {
  for (const line of renderDifferences(answer, shell.paint)) shell.print(line);
  if (!changesAnything(answer)) shell.print('no differences: the gateway does what the file says');
  for (const note of answer.notes) shell.print(shell.paint.note(`note: ${tame(note)}`));
}

function changesAnything({ changes, store }: ApplyAnswer): boolean {
  return changes.length > 0 || store.length > 0;
}

async function send(client: AdminClient, order: Json): Promise<ApplyAnswer> {
  const answer = await client.call('POST', '/v1/apply', order);
  if (isAnswer(answer)) return answer;
  throw new CommandFailure(
    `the answer of ${client.url} is none to an apply: is it an Understudy gateway of this version?`,
  );
}

function isAnswer(answer: unknown): answer is ApplyAnswer {
  const { changes, store, notes, base } = answer as Partial<Record<keyof ApplyAnswer, unknown>>;
  return Array.isArray(changes) && Array.isArray(store) && Array.isArray(notes) && typeof base === 'string';
}
