import { describe, expect, it } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { capabilityNotes } from './capability-notes.ts';
import { regionNotes } from './region-notes.ts';

const PLAIN = { channels: [{ id: 'c', provider: 'mine' }] };
const IN_EU = { channels: [{ id: 'e', provider: 'mine', region: 'eu' }] };

function snapshotOf(more: object, models: object = { a: PLAIN }) {
  const providers = { mine: { type: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' } };
  const text = JSON.stringify({ version: 1, providers, models, ...more });
  const loaded = loadConfig({ text, file: 'c.yaml', env: {} });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.snapshot;
}
const railed = (guardrails: object, more: object = {}) => ({ workspaces: { acme: { guardrails, ...more } } });

describe('check: regions', () => {
  it('G-2: what names no region is left out by a list of allowed ones', () => {
    const models = { a: PLAIN, b: IN_EU, 'mine/*': {} };
    expect(regionNotes(snapshotOf(railed({ allow_regions: ['eu'] }), models))).toEqual([
      'workspace acme: allow_regions leaves out what names no region: a#c, mine/*',
    ]);
    const enabled = railed({ allow_regions: ['eu'] }, { enabled_models: ['b'] });
    expect(regionNotes(snapshotOf(enabled, { a: PLAIN, b: IN_EU }))).toEqual([]);
    expect(regionNotes(snapshotOf(railed({ deny_regions: ['eu'] }), models))).toEqual([]);
  });

  it('G-2: a region that nothing is in', () => {
    for (const list of ['allow_regions', 'deny_regions']) {
      const notes = regionNotes(snapshotOf(railed({ [list]: ['eu', 'eux'] }), { b: IN_EU }));
      expect(notes).toEqual(['workspace acme: no channel is in the region eux']);
    }
  });
});

describe('check: capabilities', () => {
  const notesOf = (capabilities: object) => capabilityNotes(snapshotOf({}, { a: { ...PLAIN, capabilities } }));

  it('P-6: words that no request asks for', () => {
    expect(notesOf({ apis: ['chat'], input: ['text', 'image'], features: ['tools'] })).toEqual([]);
    expect(notesOf({ input: ['text', 'img'], features: ['tool'] })).toEqual([
      'a: `input` says img, which no request asks for; known: text, image, audio, video, file',
      expect.stringContaining('`features` says tool,'),
    ]);
  });

  it('P-6: endpoints that are none, and no endpoint at all', () => {
    expect(notesOf({ apis: ['chat', 'responses', 'messages', 'gemini', 'embeddings'] })).toEqual([]);
    expect(notesOf({ apis: ['chatt'] })).toEqual([expect.stringMatching(/^a: `apis` says chatt, .*known: chat, /)]);
    expect(notesOf({ apis: [] })).toEqual(['a: its `apis` are empty, so every request is refused']);
  });

  it('P-6: of a channel as well', () => {
    const channel = { ...PLAIN.channels[0], capabilities: { input: ['txt'] } };
    expect(capabilityNotes(snapshotOf({}, { a: { channels: [channel] } }))).toEqual([
      expect.stringMatching(/^a#c: `input` says txt/),
    ]);
  });
});
