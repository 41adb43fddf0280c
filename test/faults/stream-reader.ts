/** What a client makes of a stream: read by an independent parser, put together as the official clients do. */
import { createParser } from 'eventsource-parser';
import { expect } from 'vitest';
import type { RawAnswer } from './raw-client.ts';

export interface ChatChunk {
  readonly id: string;
  readonly model: string;
  readonly usage?: Record<string, unknown> | null;
  readonly choices: readonly {
    readonly index: number;
    readonly finish_reason: string | null;
    readonly delta: {
      readonly role?: string;
      readonly content?: string | null;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
  }[];
}

export interface StreamError {
  readonly code: unknown;
  readonly message: string;
  readonly request_id?: string;
}

export interface ReadStream {
  /** Every event's data, `[DONE]` included. */
  readonly data: readonly string[];
  readonly comments: readonly string[];
  readonly chunks: readonly ChatChunk[];
  readonly errors: readonly StreamError[];
  readonly content: string;
  readonly roles: number;
  readonly finishes: readonly string[];
  readonly done: number;
  readonly ids: readonly string[];
  readonly models: readonly string[];
}

/** Reads an answer's body as server-sent events. Data that is no JSON, and lines that are no SSE, throw. */
export function readStream(answer: RawAnswer): ReadStream {
  const data: string[] = [];
  const comments: string[] = [];
  const parser = createParser({
    onEvent: (event) => data.push(event.data),
    onComment: (comment) => comments.push(comment),
    onError: (error) => {
      throw error;
    },
  });
  parser.feed(answer.text);
  const values = data.filter((text) => text !== '[DONE]').map((text) => JSON.parse(text) as Record<string, unknown>);
  const chunks = values.filter((value) => 'choices' in value) as unknown as ChatChunk[];
  const choices = chunks.flatMap((chunk) => chunk.choices);
  return {
    data,
    comments,
    chunks,
    errors: values.filter((value) => 'error' in value).map((value) => value['error'] as StreamError),
    content: choices.map((choice) => choice.delta.content ?? '').join(''),
    roles: choices.filter((choice) => choice.delta.role !== undefined).length,
    finishes: choices.flatMap((choice) => (choice.finish_reason === null ? [] : [choice.finish_reason])),
    done: data.filter((text) => text === '[DONE]').length,
    ids: [...new Set(chunks.map((chunk) => chunk.id))],
    models: [...new Set(chunks.map((chunk) => chunk.model))],
  };
}

/** A whole, single, undisturbed stream saying exactly `content`. */
export function expectWholeStream(answer: RawAnswer, content: string, finish = 'stop'): ReadStream {
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
  expect(answer.end).toBe('complete');
  const stream = readStream(answer);
  expect(stream.errors).toEqual([]);
  expect(stream.content).toBe(content);
  expect(stream.roles).toBe(1);
  expect(stream.finishes).toEqual([finish]);
  expect(stream.done).toBe(1);
  expect(stream.data.at(-1)).toBe('[DONE]');
  expect(stream.models).toHaveLength(1);
  return stream;
}

/** T-4: what was delivered, then one error event, no finish reason, no terminator, and the response closed. */
export function expectInterrupted(answer: RawAnswer, content: string): ReadStream {
  expect(answer.status).toBe(200);
  expect(answer.end).toBe('complete');
  const stream = readStream(answer);
  expect(stream.content).toBe(content);
  expect(stream.errors).toHaveLength(1);
  expect(stream.errors[0]?.code).toBe('stream_interrupted');
  expect(stream.errors[0]?.request_id).toBe(answer.headers['x-request-id']);
  expect(stream.finishes).toEqual([]);
  expect(stream.done).toBe(0);
  expect(JSON.parse(stream.data.at(-1) ?? '{}')).toHaveProperty('error');
  return stream;
}
