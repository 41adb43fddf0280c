/**
 * Every member that the clients' libraries declare, on its way to every upstream of another dialect: it changes what is
 * sent, or it is recorded, or refused, or it stands in the list below with a reason (R-4, dialects §11).
 */
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/wire-names.ts';
import { laneOf } from '../../src/dialects/lanes.ts';
import { SPEAKERS, type Speaker, TARGET } from './crossings.ts';
import { alikeUnsaid, type Body, leftUnsaid, type Outcome, unknownUnsaid } from './members/left-unsaid.ts';
import { SAMPLES } from './members/requests.ts';
import { SAYS_NOTHING } from './members/says-nothing.ts';

const UPSTREAMS: readonly Dialect[] = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'bedrock'];

/** What an upstream gets of a body, and what is recorded of it. */
function becoming({ client, codec }: Speaker, dialect: Dialect): (body: Body) => Outcome {
  const pair = laneOf(codec, dialect)!;
  const place = {
    model: 'm',
    version: client.name === 'messages' ? '2023-06-01' : null,
    ...(client.name === 'generate' ? { stream: false } : {}),
  };
  return (body) => {
    const read = codec.readRequest(Buffer.from(JSON.stringify({ model: 'm', ...body })), place);
    if (!read.ok) return { refused: read.error.message, bytes: '', records: [] };
    const request = read.value;
    const miss = pair.misses(request, null, TARGET);
    if (miss !== null) return { refused: miss.name, bytes: '', records: [] };
    const lane = pair.open({ request, target: TARGET, servedModel: 'm', id: 'x', createdAt: 0 });
    const written = lane.writeUpstream(request, { target: TARGET, degrade: null, injectUsage: true });
    return { refused: null, bytes: Buffer.from(written.bytes).toString(), records: written.changes };
  };
}

const WAYS = SPEAKERS.flatMap((speaker) =>
  UPSTREAMS.filter((dialect) => dialect !== speaker.codec.dialect).map((dialect) => ({
    speaker,
    dialect,
    client: speaker.client.name,
  })),
);
const found = new Map<string, Set<string>>(SPEAKERS.map(({ client }) => [client.name, new Set()]));

describe.each(WAYS)('what a client of $client may say, to $dialect', ({ speaker, dialect, client }) => {
  it('R-4: is sent, or recorded, or refused, with every member and every word', () => {
    const { samples, words } = SAMPLES[client]!();
    const become = becoming(speaker, dialect);
    const silent = new Set(
      samples.flatMap(({ body, path }) => [
        ...leftUnsaid(body, path, become),
        ...unknownUnsaid(body, path, become),
        ...alikeUnsaid(body, path, words, become),
      ]),
    );
    const listed = new Set(SAYS_NOTHING[client]!.keys());
    for (const name of silent) found.get(client)!.add(name);
    expect([...silent].filter((name) => !listed.has(name))).toEqual([]);
  });
});

it.each(SPEAKERS.map(({ client }) => client.name))('R-4: whatever is listed of %s does go in silence', (client) => {
  expect([...SAYS_NOTHING[client]!.keys()].filter((name) => !found.get(client)!.has(name))).toEqual([]);
});
