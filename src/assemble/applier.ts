/** `apply`: another text in force, kept sealed for a start without a file. */

import { formatProblems, readConfigText } from '../config/load.ts';
import type { ApplyAnswer, ApplyRequest, ConfigApplier, StoreEffect } from '../config/objects/applying.ts';
import type { Difference } from '../config/objects/difference.ts';
import { type Merged, OWNED_BY_FILE } from '../config/objects/merge.ts';
import { inWords } from '../config/objects/stored-entry.ts';
import type { Problem } from '../config/problem.ts';
import { ClientError, gatewayError } from '../core/errors/catalogue.ts';
import { appliedChange } from './applied-text.ts';
import type { Candidate } from './candidate.ts';
import type { Configuration } from './configuration.ts';
import { applyEntry, shownDifferences } from './configuration-entry.ts';
import { readText, textMark } from './configuration-source.ts';
import { conflict, storeRefusal } from './store-refusal.ts';

/** More is not read by anybody. */
const MOST_PROBLEMS = 50;

export class Applier implements ConfigApplier {
  readonly #configuration: Configuration;

  constructor(configuration: Configuration) {
    this.#configuration = configuration;
  }

  apply(request: ApplyRequest): Promise<ApplyAnswer> {
    return this.#configuration.exclusively(async () => {
      const { source, parts } = this.#configuration;
      const before = this.#configuration.state();
      const origin = { kind: 'applied', name: request.name, appliedAt: parts.wall() } as const;
      const read = readText(request.text, origin, source.env);
      if (!read.ok) throw refusedText(read.problems, request.name);
      const base = textMark(before.file.text);
      if (request.base !== null && request.base !== base) {
        throw conflict('Another configuration is in force meanwhile: look at the differences again.');
      }
      const candidate = this.#configuration.candidate(read.file, before.objects);
      const fixed = await this.#configuration.fixedBy(candidate);
      const answer = {
        applied: !request.dryRun,
        base,
        changes: shownDifferences(before.file, read.file),
        store: storeEffects(before.merged, candidate.merged),
        notes: [...fixed, ...tokenNotes(before, candidate), ...(await this.#startNotes(request.text))],
      };
      if (!request.dryRun) await this.#keep(candidate, request, answer.changes);
      return answer;
    });
  }

  async #keep(candidate: Candidate, request: ApplyRequest, differences: readonly Difference[]): Promise<void> {
    const { parts } = this.#configuration;
    const { by } = request;
    const { objects, file, merged } = candidate;
    let change: ReturnType<typeof appliedChange>;
    try {
      change = appliedChange(file.text, by, objects, parts.sealer);
    } catch (error) {
      throw storeRefusal(error);
    }
    const at = parts.wall();
    const { kind, name, body, expectedVersion } = change;
    const known = objects.find((one) => one.kind === kind && one.name === name);
    const kept = {
      kind,
      name,
      body: body ?? {},
      version: expectedVersion + 1,
      createdAt: known?.createdAt ?? at,
      updatedAt: at,
      updatedBy: by,
    };
    const next = [...objects.filter((one) => one !== known), kept];
    await this.#configuration.putInForce(
      { file, objects: next, merged },
      [change],
      [applyEntry(request, differences, at)],
    );
  }

  /** What the next start will read. */
  async #startNotes(text: string): Promise<string[]> {
    const { configFile, configText } = this.#configuration.source;
    if (configText !== undefined)
      return ['this gateway was started with another text, which its next start may use again'];
    if (configFile === undefined) return [];
    const read = await readConfigText(configFile);
    if (read.ok && read.text === text) return [];
    return [
      `this gateway was started with the file ${configFile}, which says otherwise and is read again at the next start and at SIGHUP: put this text there too`,
    ];
  }
}

function refusedText(problems: readonly Problem[], name: string): ClientError {
  const more = problems.length > MOST_PROBLEMS ? `\n(and ${problems.length - MOST_PROBLEMS} more)` : '';
  const told = formatProblems(problems.slice(0, MOST_PROBLEMS), name) + more;
  const message = `Nothing was changed; the configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${told}`;
  return new ClientError(gatewayError('invalid_parameter', message, { param: problems[0]?.path || 'text' }));
}

function storeEffects(before: Merged, after: Merged): StoreEffect[] {
  const effects: StoreEffect[] = [];
  for (const [entry, problem] of after.aside) {
    if (before.aside.get(entry)?.message === problem.message) continue;
    const hidden = problem.message === OWNED_BY_FILE;
    const effect = hidden ? 'hidden' : 'set_aside';
    effects.push({ kind: entry.kind, name: entry.name, effect, reason: hidden ? null : inWords(problem) });
  }
  for (const { kind, name } of [...before.aside.keys()].filter((entry) => !after.aside.has(entry))) {
    effects.push({ kind, name, effect: 'returns', reason: null });
  }
  return effects;
}

function tokenNotes(before: Candidate, after: Candidate): string[] {
  const had = before.file.config;
  const has = after.file.config;
  const notes: string[] = [];
  if (had.admin.token !== has.admin.token) notes.push('the admin token changes: the next command needs the new one');
  if (had.keys.length === 0 && has.keys.length > 0) {
    notes.push('the client key of the first start no longer works: the file names keys of its own');
  }
  if (had.keys.length > 0 && has.keys.length === 0) {
    notes.push('the file names no client key: the next start may make one and shows it once');
  }
  return notes;
}
