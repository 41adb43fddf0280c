/** Upstream answers the cases need besides their own: whole and streamed, good and broken. */
import type { Chunk, Step } from '../../sim/index.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const SSE_TYPE = { 'content-type': 'text/event-stream' };

/** A whole good answer. */
export function okBody(content: string): Step {
  return jsonStep(200, {
    id: `r-${content}`,
    object: 'chat.completion',
    created: 1,
    model: 'up',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });
}

/** A whole good stream of these pieces. */
export function okStream(...pieces: string[]): Step {
  return sseStep([role(), ...pieces.map(delta), finish(), DONE]);
}

/** A good answer in the form the request asks for. */
export const ok = (content: string, stream: boolean): Step => (stream ? okStream(content) : okBody(content));

export function jsonStep(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return { status, headers: { ...JSON_TYPE, ...headers }, body };
}

/** An error object in the usual envelope. */
export function errorStep(status: number, error: Record<string, unknown>, headers: Record<string, string> = {}): Step {
  return jsonStep(status, { error }, headers);
}

export function sseStep(chunks: readonly Chunk[], more: Step = {}): Step {
  return { status: 200, headers: SSE_TYPE, chunks, end: 'clean', ...more };
}

export const DONE = 'data: [DONE]\n\n';

/** One chunk event around `choice`, or with other top-level fields. */
export function chunk(choice: Record<string, unknown>, fields: Record<string, unknown> = {}): string {
  const choices = [{ index: 0, finish_reason: null, ...choice }];
  return event({ id: 'c-up', object: 'chat.completion.chunk', created: 1, model: 'up', choices, ...fields });
}

export const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
export const role = (): string => chunk({ delta: { role: 'assistant', content: '' } });
export const delta = (content: string): string => chunk({ delta: { content } });
export const finish = (reason = 'stop'): string => chunk({ delta: {}, finish_reason: reason });
