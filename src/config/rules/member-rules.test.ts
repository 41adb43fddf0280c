import { describe, expect, it } from 'vitest';
import { loadConfig } from '../load.ts';
import { secretHash } from '../secret-hash.ts';

const load = (text: string) => loadConfig({ text: `version: 1\n${text}`, file: 'config.yaml', env: {} });

function problems(text: string) {
  const result = load(text);
  if (result.ok) throw new Error('it was accepted');
  return result.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('members of the file', () => {
  it('G-8: are known by the hash of their token, with role and workspace', () => {
    const result = load(
      'workspaces: { acme: {} }\nmembers: { ann: { role: account_admin, token: t-ann }, bob: { role: workspace_admin, workspace: acme, token: t-bob } }',
    );
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    const { members } = result.snapshot;
    expect([...members.keys()]).toEqual([secretHash('t-ann'), secretHash('t-bob')]);
    expect(members.get(secretHash('t-ann'))).toMatchObject({ name: 'ann', role: 'account_admin', workspace: null });
    expect(members.get(secretHash('t-bob'))).toEqual({
      name: 'bob',
      role: 'workspace_admin',
      workspace: 'acme',
      hash: secretHash('t-bob'),
      managedBy: 'file',
    });
    expect(JSON.stringify([...members.values()])).not.toContain('t-bob');
  });

  it('G-8: a role that belongs to a workspace names one that exists', () => {
    expect(problems('members: { bob: { role: workspace_admin, token: t } }')).toEqual([
      'members.bob.workspace: is required for the role workspace_admin',
    ]);
    expect(problems('members: { bob: { role: member, workspace: acne, token: t } }\nworkspaces: { acme: {} }')).toEqual(
      ['members.bob.workspace: there is no workspace `acne`; did you mean `acme`?'],
    );
    expect(problems('members: { ann: { role: account_admin, workspace: default, token: t } }')).toEqual([
      'members.ann.workspace: an account admin belongs to no workspace; leave it out',
    ]);
    expect(problems('members: { ann: { role: admin, token: t } }')[0]).toMatch(/must be one of: account_admin, /);
    expect(load('members: { bob: { role: member, workspace: default, token: t } }').ok).toBe(true);
  });

  it('G-8: no secret opens two doors, and none is told', () => {
    const text =
      'admin: { token: the-token }\nserver: { metrics_token: the-metrics }\nkeys: [{ name: k, secret: the-key }]\n' +
      'members: { a: { role: account_admin, token: the-token }, b: { role: account_admin, token: the-key }, ' +
      'c: { role: account_admin, token: own }, d: { role: account_admin, token: own }, e: { role: account_admin, token: the-metrics } }';
    const found = problems(text);
    expect(found).toEqual([
      'members.a.token: `admin.token` has the same secret; every member needs its own',
      'members.b.token: keys[0] has the same secret; every member needs its own',
      'members.d.token: the member `c` has the same secret; every member needs its own',
      'members.e.token: `server.metrics_token` has the same secret; every member needs its own',
    ]);
  });

  it('G-8: names are names', () => {
    expect(problems('members: { "a b": { role: account_admin, token: t } }')[0]).toContain('letters, digits');
  });
});
