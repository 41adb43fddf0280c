import { describe, expect, it } from 'vitest';
import { chatCodec } from './chat/codec.ts';
import type { ClientRequest, LaneSetup, TargetFacts } from './contract.ts';
import { laneOf } from './lanes.ts';

const TARGET: TargetFacts = { upstreamModel: 'up', vendor: 'v', maxOutputTokens: null, lacks: new Set() };
const BODY = '{"model":"m","messages":[{"role":"user","content":"hi"}],"seed":12345678901234567890}';

function requestOf(text: string): ClientRequest {
  const read = chatCodec.readRequest(Buffer.from(text));
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

const request = requestOf(BODY);
const setup: LaneSetup = { request, target: TARGET, servedModel: 'm', id: 'req_1', createdAt: 0 };

describe('lanes', () => {
  it('G-1: the same dialect on both sides passes bytes, and misses nothing', () => {
    const pair = laneOf(chatCodec, 'openai-chat')!;
    expect(pair.misses(request, null, TARGET)).toBeNull();
    const lane = pair.open(setup);
    expect(lane.upstream).toBe('openai-chat');
    const body = lane.writeUpstream(request, { target: TARGET, degrade: null, injectUsage: false });
    expect(Buffer.from(body.bytes).toString()).toBe(BODY.replace('"m"', '"up"'));
    expect([body.changes, body.dropped]).toEqual([[], false]);
    const answer = lane.readAnswer(Buffer.from('{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}'));
    expect(answer).toMatchObject({ content: 'content', finishReasons: ['stop'] });
    expect([lane.failedFinish('network_error'), lane.failedFinish('stop')]).toEqual(['server_error', null]);
  });

  it('one lane serves all attempts of a codec, and no other codec', () => {
    const pair = laneOf(chatCodec, 'openai-chat')!;
    expect(laneOf(chatCodec, 'openai-chat')).toBe(pair);
    expect(pair.open(setup)).toBe(pair.open({ ...setup, id: 'req_2' }));
    const other = { ...chatCodec, failedFinish: () => 'overloaded' as const };
    expect(laneOf(other, 'openai-chat')!.open(setup).failedFinish('stop')).toBe('overloaded');
  });

  it('R-4: another dialect is reached through the canonical model, by one pair for all requests', () => {
    const pair = laneOf(chatCodec, 'bedrock')!;
    expect(pair.upstream).toBe('bedrock');
    expect(laneOf(chatCodec, 'bedrock')).toBe(pair);
    expect(pair.misses(request, null, TARGET)).toBeNull();
    const body = pair.open(setup).writeUpstream(request, { target: TARGET, degrade: null, injectUsage: true });
    expect([body.changes, body.dropped]).toEqual([['dropped seed'], true]);
    expect(Buffer.from(body.bytes).toString()).toContain('"text":"hi"');
  });

  it('R-4: only what generates is translated', () => {
    expect(laneOf({ ...chatCodec }, 'bedrock')).toBeNull();
  });
});
