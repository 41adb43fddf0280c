/** What kind of thing a body is, and the values in it: JSON whole or cut, events, a page, XML, bare text (F-3). */
import { readLenient } from './lenient-json.ts';

export type BodyShape =
  | { readonly kind: 'empty' }
  /** `cut`: the text ended inside the value. `values`: one, or several lines of it. */
  | { readonly kind: 'json'; readonly values: readonly unknown[]; readonly cut: boolean }
  /** `title` is the page's own heading, without tags. */
  | { readonly kind: 'page'; readonly title: string }
  | { readonly kind: 'text'; readonly text: string };

// A page is told by its first words, after comments.
const PAGE = /^<(?:!doctype\s+html|html|head|body|title|center|h1|div|p|meta|script)\b/i;

function withoutLeadingComments(text: string): string {
  let at = 0;
  for (;;) {
    while (/\s/.test(text[at] ?? '')) at++;
    if (!text.startsWith('<!--', at)) return text.slice(at);
    const end = text.indexOf('-->', at + 4);
    if (end < 0) return '';
    at = end + 3;
  }
}

// A failure is told by its first words: what is not whole JSON is read up to here (F-3).
const MAX_LENIENT_CHARS = 64 * 1024;
// Enough to see an error among several events.
const MAX_VALUES = 64;

function stripTags(html: string): string {
  return html
    .replace(/<[^>]{0,500}>/g, ' ')
    .replace(/&(?:nbsp|#160);/g, ' ')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
}

function pageTitle(text: string): string {
  const head = text.slice(0, 20_000);
  const match = /<title[^>]*>([\s\S]{0,500}?)<\/title/i.exec(head) ?? /<h1[^>]*>([\s\S]{0,500}?)<\/h1/i.exec(head);
  return stripTags(match?.[1] ?? '').slice(0, 200);
}

/** The elements of an XML error that say something, as an object. */
function xmlFields(text: string): Record<string, string> | null {
  const out: Record<string, string> = {};
  const fields =
    /<((?:\w+:)?(?:code|message|type|requestid|errorcode|errormessage|faultstring|description))>([^<]{1,4000})</gi;
  for (const [, name, value] of text.slice(0, 100_000).matchAll(fields)) {
    const key = (name ?? '').replace(/^\w+:/, '');
    out[key] ??= stripTags(value ?? '');
  }
  return Object.keys(out).length === 0 ? null : out;
}

/** `data:` payloads of a body that is an event stream. */
function eventPayloads(text: string): string[] | null {
  if (!/^\s*(?:data|event|id|retry)?:/.test(text)) return null;
  const payloads: string[] = [];
  for (const block of text.replace(/\r\n?/g, '\n').split(/\n{2,}/)) {
    const lines = block.split('\n').filter((line) => line.startsWith('data:'));
    if (lines.length > 0) payloads.push(lines.map((line) => line.slice(5).trimStart()).join('\n'));
    if (payloads.length >= MAX_VALUES) break;
  }
  return payloads.length === 0 ? null : payloads;
}

/** One JSON value, or several one after the other (lines, or an object that was answered twice). */
function jsonShape(text: string): BodyShape | null {
  if (!/^\s*[[{"]/.test(text)) return null;
  try {
    return { kind: 'json', values: [JSON.parse(text) as unknown], cut: false };
  } catch {
    return lenientShape(text.slice(0, MAX_LENIENT_CHARS), text.length > MAX_LENIENT_CHARS);
  }
}

/** What can be read of JSON that is not whole. `more`: the text goes on after what is looked at. */
function lenientShape(text: string, more: boolean): BodyShape | null {
  const values: unknown[] = [];
  let at = 0;
  while (values.length < MAX_VALUES) {
    const read = readLenient(text, at);
    if (read.value !== undefined) values.push(read.value);
    if (read.cut) return values.length === 0 ? null : { kind: 'json', values, cut: true };
    at = read.end;
    if (read.value === undefined || !/^\s*[[{]/.test(text.slice(at, at + 200))) break;
  }
  return values.length === 0 ? null : { kind: 'json', values, cut: more };
}

/** Sorts a body. Total. */
export function bodyShape(text: string): BodyShape {
  if (text.trim() === '') return { kind: 'empty' };
  if (PAGE.test(withoutLeadingComments(text))) return { kind: 'page', title: pageTitle(text) };
  if (/^\s*</.test(text)) {
    const fields = xmlFields(text);
    return fields === null ? { kind: 'page', title: pageTitle(text) } : { kind: 'json', values: [fields], cut: false };
  }
  const payloads = eventPayloads(text);
  if (payloads !== null) {
    const shapes = payloads.map(jsonShape).filter((shape) => shape !== null);
    const values = shapes.flatMap((shape) => (shape.kind === 'json' ? shape.values : []));
    if (values.length > 0) return { kind: 'json', values, cut: false };
  }
  return jsonShape(text) ?? { kind: 'text', text: text.trim() };
}
