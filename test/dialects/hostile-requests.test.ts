import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../sim/random.ts';
import type { Dialect } from '../../src/core/wire-names.ts';
import { laneOf } from '../../src/dialects/lanes.ts';
import type { Ask } from './clients.ts';
import { SPEAKERS, TARGET } from './crossings.ts';
import { harmed } from './harm.ts';

const DIALECTS: readonly Dialect[] = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'bedrock'];

const PAST = { id: 'call_1', name: 'look', args: '{"a":1}' };

describe.each(SPEAKERS.map((speaker) => ({ speaker, name: speaker.client.name })))(
  'requests of $name',
  ({ speaker }) => {
    const { client, codec } = speaker;
    const said = client.saidCall(PAST.id, PAST.name, PAST.args);
    const ask: Ask = {
      model: 'm',
      text: 'hi',
      system: 'Be brief.',
      stream: false,
      tools: [{ name: 'look', schema: '{"type":"object"}' }],
      forced: true,
      schema: '{"type":"object"}',
      image: 'AAAA',
      reasoning: true,
      maxTokens: 4000,
      nudged: true,
      stop: 'END',
      past: { said, results: [{ id: PAST.id, name: PAST.name, text: 'fine' }] },
    };
    const whole: unknown = JSON.parse(client.body(ask));

    it('E-5, R-4: whatever stands in one, it is written for every upstream as JSON, or refused in words', () => {
      const random = seededRandom(client.name.length + 41);
      let written = 0;
      let refused = 0;
      for (let round = 0; round < 800; round++) {
        const body = harmed(random() < 0.3 ? harmed(whole, random) : whole, random);
        const text = JSON.stringify(body);
        const read = codec.readRequest(Buffer.from(text), { model: 'm', stream: false, version: '2023-06-01' });
        if (!read.ok) {
          expect(read.error.status).toBe(400);
          continue;
        }
        const request = read.value;
        for (const dialect of DIALECTS) {
          const pair = laneOf(codec, dialect)!;
          try {
            const miss = pair.misses(request, null, TARGET);
            if (miss !== null) {
              refused++;
              if (miss.fault !== undefined) expect([miss.fault.status, miss.fault.message !== '']).toEqual([400, true]);
              continue;
            }
            const lane = pair.open({ request, target: TARGET, servedModel: 'm', id: 'req_1', createdAt: 0 });
            const { bytes } = lane.writeUpstream(request, { target: TARGET, degrade: null, injectUsage: true });
            JSON.parse(Buffer.from(bytes).toString());
            written++;
          } catch (error) {
            throw new Error(`to ${dialect}: ${text}`, { cause: error });
          }
        }
      }
      expect(Math.min(written, refused)).toBeGreaterThan(100);
    });
  },
);
