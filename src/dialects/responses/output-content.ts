/** What parsed output items hold: content by kind, its size, and ids of what lives at the upstream account (P-8). */
import { type Json, objectOf } from '../failure/answer-faults.ts';
import { CONTENT } from '../stream/grammar.ts';

export interface OutputContent {
  /** `CONTENT` bits. */
  readonly content: number;
  /** Bytes of text, reasoning and calls. */
  readonly contentBytes: number;
}

const NOTHING: OutputContent = { content: 0, contentBytes: 0 };

/** Of all items together. */
export function outputContent(items: readonly unknown[]): OutputContent {
  let content = 0;
  let contentBytes = 0;
  for (const item of items) {
    const found = itemContent(item);
    content |= found.content;
    contentBytes += found.contentBytes;
  }
  return { content, contentBytes };
}

/** Of one item, whole or as it was added. */
export function itemContent(value: unknown): OutputContent {
  const item = objectOf(value);
  if (item === null) return NOTHING;
  const type = item['type'];
  if (type === 'message') return messageContent(item);
  if (type === 'reasoning') return reasoningContent(item);
  if (type === 'image_generation_call') return { content: CONTENT.call | CONTENT.images, contentBytes: 0 };
  if (typeof type !== 'string' || !(isCall(type) || filledOutput(item))) return NOTHING;
  const words = ['name', 'arguments', 'input', 'code'].map((key) => item[key]);
  return { content: CONTENT.call, contentBytes: words.reduce<number>((sum, word) => sum + length(word), 0) };
}

/** It has a name or a side effect from its start on (§7). */
function isCall(type: string): boolean {
  return type.endsWith('_call') || type === 'mcp_approval_request' || type === 'program';
}

/** Results, summaries and lists that a provider's own tools left behind. */
function filledOutput(item: Json): boolean {
  return ['output', 'tools', 'encrypted_content', 'result'].some((key) => {
    const value = item[key];
    return Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value !== '';
  });
}

function messageContent(item: Json): OutputContent {
  let content = 0;
  let contentBytes = 0;
  for (const part of listOf(item['content'])) {
    const found = partContent(part);
    content |= found.content;
    contentBytes += found.contentBytes;
  }
  return { content, contentBytes };
}

/** Of one part of a message or of a thought. */
export function partContent(value: unknown): OutputContent {
  const part = objectOf(value);
  const type = part?.['type'];
  if (part === null || typeof type !== 'string') return NOTHING;
  const text = part['text'] ?? part['refusal'] ?? part['transcript'];
  const bytes = length(text);
  if (bytes === 0) return NOTHING;
  return { content: bitOf(type), contentBytes: bytes };
}

function bitOf(type: string): number {
  if (type === 'refusal') return CONTENT.refusal;
  if (type === 'output_audio') return CONTENT.audio;
  return type === 'reasoning_text' || type === 'summary_text' ? CONTENT.reasoning : CONTENT.text;
}

function reasoningContent(item: Json): OutputContent {
  let contentBytes = 0;
  for (const part of [...listOf(item['summary']), ...listOf(item['content'])]) {
    contentBytes += partContent(part).contentBytes;
  }
  const sealed = length(item['encrypted_content']) > 0;
  return { content: contentBytes > 0 || sealed ? CONTENT.reasoning : 0, contentBytes };
}

/** Ids in an item under which the upstream account knows something: its own where it was stored, a container. */
export function idsOfItem(value: unknown, stored: boolean): string[] {
  const item = objectOf(value);
  const ids = [stored ? item?.['id'] : null, item?.['container_id']];
  return ids.filter((id): id is string => typeof id === 'string' && id !== '');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function length(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}
