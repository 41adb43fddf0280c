import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Needs } from '../../core/request/capabilities.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { isScanError, scanObject } from '../bytes/body-view.ts';
import { requestAsks } from './asks.ts';
import { requestNeeds } from './needs.ts';

function needsOf(json: string, degrade: Degrade | null = null) {
  const view = scanObject(Buffer.from(json));
  if (isScanError(view)) throw new Error(view.message);
  return allOf(requestNeeds(view, degrade));
}

/** Everything that is needed, in the order it is told. */
function allOf(needs: Needs) {
  const listed = (ask: Needs['input']): string[] => {
    const told: string[] = [];
    for (let next = ask(() => true); next !== undefined; next = ask((name) => !told.includes(name))) told.push(next);
    return told;
  };
  return { inputs: listed(needs.input), features: listed(needs.feature) };
}

const features = (fields: string, degrade: Degrade | null = null): readonly string[] =>
  needsOf(`{"model":"m",${fields},"messages":[{"role":"user","content":"hi"}]}`, degrade).features;

describe('P-6: what a request needs', () => {
  test('P-6: features in use', () => {
    expect(
      features('"tools":[{}],"response_format":{"type":"json_schema"},"reasoning_effort":"high","logprobs":true'),
    ).toEqual(['tools', 'json_schema', 'reasoning', 'logprobs']);
    expect(
      features('"tools":[ ],"response_format":{"type":"text"},"reasoning_effort":"none","logprobs":false'),
    ).toEqual([]);
    expect(features('"functions":[{}],"tools":null,"response_format":null,"reasoning_effort":null')).toEqual(['tools']);
  });

  test('R-4: what `degrade` drops is not needed', () => {
    const asked = '"tools":[{}],"functions":[{}],"response_format":{"type":"json_object"},"top_logprobs":2';
    expect(features(asked, { drop_tools: true })).toEqual(['json_object', 'logprobs']);
    expect(features(asked, { drop_response_format: true, drop_params: ['top_logprobs'] })).toEqual(['tools']);
  });

  test('P-6: inputs in use, each once, whatever stands between them', () => {
    const part = (type: string): string => `{"type":"${type}","${type}":{"url":"data:"}}`;
    const messages = [
      '{"role":"system","content":"text"}',
      `{"role":"user","content":[${part('text')},${part('image_url')},7,${part('image_url')}]}`,
      `{"role":"user","content":[${part('input_audio')},${part('file')},${part('video_url')},{"type":null}]}`,
      'null',
    ];
    expect(needsOf(`{"messages":[${messages.join(' , ')}]}`).inputs).toEqual(['image', 'audio', 'file', 'video']);
    expect(needsOf('{"messages":[{"role":"user","content":"image_url"}]}').inputs).toEqual([]);
  });

  const INPUTS: Readonly<Record<string, string>> = {
    image_url: 'image',
    input_audio: 'audio',
    video_url: 'video',
    file: 'file',
  };
  const TYPES = [...Object.keys(INPUTS), 'text', 'image_url2', 'profile', 'refusal'];
  interface Parts {
    readonly role?: unknown;
    readonly content?: unknown;
  }
  const part = fc.record(
    { type: fc.constantFrom<unknown>(...TYPES, 7, null), text: fc.string() },
    { requiredKeys: [] },
  );
  const parts = fc.array(fc.oneof(part, fc.constant(null), fc.string()), { maxLength: 4 });
  const content = fc.oneof(fc.string(), fc.constantFrom(...TYPES.map((type) => `"${type}"`)), parts, part);
  const messages = fc.array(fc.record({ role: fc.string(), content }, { requiredKeys: [] }), { maxLength: 4 });

  /** What the whole body, parsed, holds. */
  function inputsParsed(list: readonly Parts[]): string[] {
    const found = list.flatMap(({ content: body }) => (Array.isArray(body) ? (body as unknown[]) : []));
    return found.flatMap((one) => {
      const type = (one as { type?: unknown } | null)?.type;
      return typeof type === 'string' && Object.hasOwn(INPUTS, type) ? [INPUTS[type] ?? ''] : [];
    });
  }

  /** Some letters of strings as escapes: `file`, `\u0066ile` and `\u0066\u0069le` are one text. */
  function escaped(json: string, seed: number): string {
    return json.replace(/[a-z_]/g, (letter, at: number) =>
      /^(?:true|false|null)/.test(json.slice(at)) || (at * 2654435761 + seed) % 5 > 0 || inLiteral(json, at)
        ? letter
        : `\\u00${letter.charCodeAt(0).toString(16)}`,
    );
  }

  /** Words outside strings, and what follows a backslash, must stay as they are. */
  function inLiteral(json: string, at: number): boolean {
    const before = json.slice(0, at);
    let inside = false;
    for (let i = 0; i < before.length; i++) {
      if (before[i] === '\\') {
        if (i + 1 === at || (before[i + 1] === 'u' && i + 6 > at)) return true;
        i++;
      } else if (before[i] === '"') inside = !inside;
    }
    return !inside;
  }

  test('P-6: the search of the bytes finds what parsing the whole body finds, however it is spelt', () => {
    fc.assert(
      fc.property(messages, fc.nat(), fc.boolean(), (list, seed, plain) => {
        const json = JSON.stringify({ messages: list });
        const spelt = plain ? json : escaped(json, seed);
        expect(JSON.parse(spelt)).toEqual(JSON.parse(json));
        const expected = inputsParsed(list as Parts[]);
        const view = scanObject(Buffer.from(spelt));
        if (isScanError(view)) throw new Error(view.message);
        expect(allOf(requestNeeds(view, null)).inputs).toEqual([...new Set(expected)]);
        for (const input of Object.values(INPUTS)) {
          const lone = requestNeeds(view, null).input((name) => name === input);
          expect(lone).toBe(expected.includes(input) ? input : undefined);
        }
        const asks = requestAsks({ view, n: 1 } as never, null);
        expect(asks.mediaParts).toBe(expected.length);
        expect(asks.audioIn).toBe(expected.includes('audio') || expected.includes('video'));
      }),
      { numRuns: 500 },
    );
  });
});
