/** Drafts of routing and policies: what is sent, what is copied into the file, what two people keep (G-8, D-12). */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { draftLines, type Policy, problemOf, readDraft, withCell } from '../../console/src/pages/policies/table.ts';
import {
  changesOf,
  draftOf,
  rebased,
  reverseOf,
  type Workspace,
  withChoice,
} from '../../console/src/pages/routing/draft.ts';
import { yamlText } from '../../console/src/parts/yaml-text.ts';

const workspace = (more: Partial<Workspace> = {}): Workspace => ({
  name: 'acme',
  managed_by: 'store',
  version: 3,
  created_at: null,
  updated_at: null,
  updated_by: null,
  problem: null,
  ...more,
});

describe('lines for the file', () => {
  it('are read back as what they say, whatever the names', () => {
    const odd = ['no', '~', '1e3', '#x', '- a', 'a: b', "it's", '"', '<img src=x>', '中文', 'x\ny', ' ', 'a/b-c.d_e'];
    const value = {
      workspaces: Object.fromEntries(odd.map((name) => [name, { auto: odd, prefer: true, n: 3, none: null }])),
      mixed: { on_exhausted: ['busy', { cache: { max_age_s: 60 } }], empty: {}, list: [] },
    };
    expect(parse(yamlText(value))).toEqual(value);
  });

  it('name no variable of the environment: a name that looks like one stays a name', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration's own way to name a variable
    expect(yamlText({ auto: ['${SECRET}'] })).toBe('auto: ["$${SECRET}"]\n');
  });
});

describe('a draft of routing', () => {
  it('changes what differs and nothing else, and can be taken back', () => {
    const base = workspace({ auto: ['a', 'b'], routing: { strategy: 'price' } });
    expect(changesOf(base, draftOf(base))).toBeNull();
    const draft = { ...draftOf(base), auto: ['b', 'a'], default_model: 'a' };
    const changes = changesOf(base, draft);
    expect(changes).toEqual({ auto: ['b', 'a'], default_model: 'a' });
    expect(reverseOf(base, changes!)).toEqual({ auto: ['a', 'b'], default_model: null });
  });

  it('a choice for a channel that says nothing leaves no trace', () => {
    const chosen = withChoice({ strategy: 'price' }, 'm', 'c', { prefer: true, byok_only: false });
    expect(chosen).toEqual({ strategy: 'price', channels: { m: { c: { prefer: true } } } });
    expect(withChoice(chosen, 'm', 'c', { prefer: false, byok_only: false })).toEqual({ strategy: 'price' });
  });

  it('G-8: over what somebody else saved keeps the changes of both, name by name', () => {
    const base = workspace({ virtual_models: { one: { models: ['a'] }, two: { models: ['b'] } }, auto: ['a'] });
    const mine = { ...draftOf(base), virtual_models: { one: { models: ['a', 'c'] }, two: { models: ['b'] } } };
    const theirs = workspace({ virtual_models: { one: { models: ['a'] }, three: { models: ['d'] } }, auto: ['b'] });
    const both = rebased(base, theirs, mine);
    expect(both.virtual_models).toEqual({ one: { models: ['a', 'c'] }, three: { models: ['d'] } });
    expect(both.auto).toEqual(['b']);
    expect(changesOf(theirs, both)).toEqual({ virtual_models: both.virtual_models });
  });
});

describe('a draft of policies', () => {
  const cell = (row: string, steps: Policy['cells'][number]['steps'], overridden: boolean) => ({
    row,
    steps,
    built_in: steps,
    overridden,
    repeat_only_if_single: false,
    repeats: null,
    keyed_reads_class: false,
  });
  const policies: Policy[] = [
    { name: 'standard', cells: [cell('timeout', ['stop'], false), cell('overloaded', ['retry', 'stop'], true)] },
  ];

  it('D-12: its lines keep the cells that the file changes already', () => {
    const draft = withCell({}, 'standard', 'timeout', ['next_model', 'stop']);
    expect(parse(draftLines(policies, draft))).toEqual({
      policies: { standard: { overloaded: ['retry', 'stop'], timeout: ['next_model', 'stop'] } },
    });
    expect(withCell(draft, 'standard', 'timeout', null)).toEqual({});
  });

  it('D-12: steps that are never reached, and none at all, are said to be wrong before they are sent', () => {
    expect(problemOf([])).toBe('problem_none');
    expect(problemOf(['stop', 'next_model'])).toBe('problem_after_stop');
    expect(problemOf(['stop', 'alert'])).toBeNull();
  });

  it('is read back from the tab, and what is no draft is none', () => {
    const draft = withCell({}, 'strict', 'auth', ['alert', 'stop']);
    expect(readDraft(JSON.stringify(draft))).toEqual(draft);
    for (const text of [
      null,
      '',
      'null',
      '[]',
      '{"strict":{"auth":["dance"]}}',
      '{"strict":7}',
      '{"other":{"auth":["stop"]}}',
    ]) {
      expect(readDraft(text)).toEqual({});
    }
  });
});
