/** Content blocks of a request as parts. */
import { type BodyView, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../bytes/json-grammar.ts';
import { objectAt } from '../bytes/nested.ts';
import type { Citation, JsonText, Media, Opaque, Part } from '../canonical.ts';
import { noteUnknown } from '../cross/hints.ts';
import { argumentsText, jsonTextAt, objectsAt } from '../cross/json-text.ts';
import { readOpaque } from '../cross/opaque-marks.ts';
import { objectOf } from '../failure/answer-faults.ts';
import { OWN_VENDOR } from './answer-blocks.ts';
import { BLOCK_FIELDS, SOURCE_FIELDS } from './request-fields.ts';
import { ToolChanges } from './tool-changes.ts';

const NULL = 0x6e;
const TOOL_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'server_name', 'definition']);
const CITATION_FIELDS: ReadonlySet<string> = new Set(['enabled']);

export class BlockReader {
  readonly toolChanges = new ToolChanges();
  readonly #hints: Map<string, JsonText>;
  readonly #bound: Set<string>;
  /** Call id → name: results name their call by its id alone. */
  readonly #called = new Map<string, string>();

  constructor(hints: Map<string, JsonText>, bound: Set<string>) {
    this.#hints = hints;
    this.#bound = bound;
  }

  /** Empty = it says nothing, or what is bound to this dialect and noted; null = it cannot be read. */
  read(block: BodyView): readonly Part[] | null {
    const mark = valueByte(block, 'cache_control');
    if (mark !== 0 && mark !== NULL) this.#hints.set('cache_control', jsonTextAt(block, 'cache_control')!);
    const type = readString(block, 'type');
    const known = BLOCK_FIELDS.get(type ?? '');
    if (known !== undefined) noteUnknown(block, known, 'messages.content', this.#hints);
    switch (type) {
      case undefined:
      case null:
        return null;
      case 'text':
        return textOf(block);
      case 'image':
        return this.#media(block, 'image');
      case 'document':
        return this.#document(block);
      case 'search_result':
        return this.#searchResult(block);
      case 'thinking':
        return thought(readString(block, 'thinking'), readString(block, 'signature'), 'signature');
      case 'redacted_thinking':
        return thought('', readString(block, 'data'), 'sealed');
      case 'tool_use':
        return this.#call(block);
      case 'tool_result':
        return this.#result(block);
      case 'tool_reference': {
        const name = readString(block, 'tool_name');
        return typeof name === 'string' ? [{ type: 'text', text: `Found the tool ${name}.` }] : null;
      }
      case 'tool_addition':
      case 'tool_removal':
        return this.#toolChange(block, type === 'tool_addition') ? [] : null;
      case 'compaction': {
        const text = readString(block, 'content');
        this.#noteCompacted(block, 'tool_changes');
        if (typeof text === 'string' && text !== '') {
          for (const key of ['encrypted_content', 'signature']) this.#noteCompacted(block, key);
          return [{ type: 'text', text }];
        }
        // What only the vendor can read stands for the whole conversation before it.
        if (typeof readString(block, 'encrypted_content') === 'string') this.#bound.add('state');
        return [];
      }
      // Who else answered, and why.
      case 'fallback':
        this.#hints.set('messages.content.fallback', 'true');
        return [];
      case 'container_upload':
        this.#bound.add('state');
        return [];
      default:
        // What the vendor's own tools made, and kinds nobody knows yet.
        this.#bound.add('builtin_tool');
        return [];
    }
  }

  /** Elsewhere a tool is offered from the start, or not at all. */
  #toolChange(block: BodyView, isAddition: boolean): boolean {
    const tool = objectAt(block, 'tool');
    if (tool !== null) noteUnknown(tool, TOOL_FIELDS, 'messages.content.tool', this.#hints);
    this.#hints.set(`messages.content.${isAddition ? 'tool_addition' : 'tool_removal'}`, 'true');
    return this.toolChanges.note(block, isAddition);
  }

  /** What a summary of the conversation holds beside its words. */
  #noteCompacted(block: BodyView, key: string): void {
    const value = jsonTextAt(block, key);
    if (value !== null && value !== 'null') this.#hints.set(`messages.content.${key}`, value);
  }

  /** Found elsewhere and given to the model to read: words like any others. */
  #searchResult(block: BodyView): readonly Part[] | null {
    this.#noteCitations(block);
    const [source, title] = [readString(block, 'source'), readString(block, 'title')];
    const texts = (objectsAt(block, 'content') ?? []).map((one) => (one === null ? null : this.#words(one)));
    if (typeof source !== 'string' || texts.length === 0) return null;
    const words = texts.filter((text) => text !== null).join('\n');
    return [{ type: 'text', text: `${typeof title === 'string' ? `${title}\n` : ''}${source}\n\n${words}` }];
  }

  /** A text of which nothing but its words can be told. */
  #words(block: BodyView): string | null {
    const [part] = this.read(block) ?? [];
    if (part?.type !== 'text') return null;
    if (part.citations !== undefined) this.#hints.set('messages.content.citations', 'true');
    return part.text;
  }

  /** Whether the answer shall cite it. */
  #noteCitations(block: BodyView): void {
    const asks = objectAt(block, 'citations');
    if (asks === null) return;
    noteUnknown(asks, CITATION_FIELDS, 'messages.content.citations', this.#hints);
    if (readJson(asks, 'enabled') === true) this.#hints.set('citations', '{"enabled":true}');
  }

  #call(block: BodyView): readonly Part[] | null {
    const [id, name] = [readString(block, 'id'), readString(block, 'name')];
    if (typeof id !== 'string' || id === '' || typeof name !== 'string') return null;
    this.#called.set(id, name);
    const caller = objectAt(block, 'caller');
    if (caller !== null) {
      const isModel = readString(caller, 'type') === 'direct' && caller.members.length === 1;
      this.#hints.set('messages.content.caller', isModel ? '"direct"' : jsonTextAt(block, 'caller')!);
    }
    const input = valueByte(block, 'input') === OPEN_BRACE ? argumentsText(jsonTextAt(block, 'input')!) : '{}';
    return [{ type: 'call', id, name, form: 'function', input }];
  }

  #result(block: BodyView): readonly Part[] | null {
    const callId = readString(block, 'tool_use_id');
    if (typeof callId !== 'string' || callId === '') return null;
    const parts: Part[] = [];
    const first = valueByte(block, 'content');
    if (first === QUOTE) {
      const text = readString(block, 'content') ?? '';
      if (text !== '') parts.push({ type: 'text', text });
    } else if (first === OPEN_BRACKET) {
      for (const inner of objectsAt(block, 'content')!) {
        const read = inner === null ? null : this.read(inner);
        if (read === null) return null;
        parts.push(...read);
      }
    }
    const failed = readJson(block, 'is_error') === true;
    return [{ type: 'result', callId, name: this.#called.get(callId) ?? null, parts, json: null, failed }];
  }

  #document(block: BodyView): readonly Part[] | null {
    this.#noteCitations(block);
    const parts: Part[] = [];
    // What is said about a document, for the model to know.
    const context = readString(block, 'context');
    if (typeof context === 'string' && context !== '') parts.push({ type: 'text', text: context });
    const media = this.#media(block, 'document', readString(block, 'title') ?? null);
    return media === null ? null : [...parts, ...media];
  }

  #media(block: BodyView, media: Media, name: string | null = null): readonly Part[] | null {
    const source = objectAt(block, 'source');
    if (source === null) return null;
    noteUnknown(source, SOURCE_FIELDS, 'messages.content.source', this.#hints);
    const part = (mime: string | null, from: Extract<Part, { type: 'media' }>['source']): readonly Part[] => [
      { type: 'media', media, mime, source: from, name, detail: null },
    ];
    switch (readString(source, 'type')) {
      case 'base64': {
        const [mime, data] = [readString(source, 'media_type'), readString(source, 'data')];
        return typeof mime === 'string' && typeof data === 'string' ? part(mime, { by: 'base64', data }) : null;
      }
      case 'url': {
        const url = readString(source, 'url');
        return typeof url === 'string' ? part(null, { by: 'url', url }) : null;
      }
      case 'text': {
        const text = readString(source, 'data');
        return typeof text === 'string' ? part('text/plain', { by: 'text', text }) : null;
      }
      case 'content':
        return this.#pieces(source, name);
      case 'file':
        this.#bound.add('state');
        return [];
      default:
        return null;
    }
  }

  /** A document in pieces: its texts are one text, its pictures stand behind it. */
  #pieces(source: BodyView, name: string | null): readonly Part[] | null {
    const texts: string[] = [];
    const rest: Part[] = [];
    const whole = readString(source, 'content');
    if (typeof whole === 'string') texts.push(whole);
    for (const inner of objectsAt(source, 'content') ?? []) {
      const read = inner === null ? null : this.read(inner);
      if (read === null) return null;
      for (const part of read) {
        if (part.type !== 'text') rest.push(part);
        else {
          texts.push(part.text);
          if (part.citations !== undefined) this.#hints.set('messages.content.citations', 'true');
        }
      }
    }
    if (texts.length === 0) return rest;
    const text = texts.join('\n\n');
    return [
      { type: 'media', media: 'document', mime: 'text/plain', source: { by: 'text', text }, name, detail: null },
      ...rest,
    ];
  }
}

function textOf(block: BodyView): readonly Part[] | null {
  const text = readString(block, 'text');
  if (typeof text !== 'string') return null;
  if (text === '') return [];
  const cited = readJson(block, 'citations');
  const citations = (Array.isArray(cited) ? (cited as unknown[]) : []).map(readCitation);
  return [citations.length === 0 ? { type: 'text', text } : { type: 'text', text, citations }];
}

/** Where it stands in its source is not where it stands in the text. */
export function readCitation(value: unknown): Citation {
  const citation = objectOf(value) ?? {};
  const text = (key: string): string | null => {
    const found = citation[key];
    return typeof found === 'string' && found !== '' ? found : null;
  };
  const source = text('source');
  return {
    url: text('url') ?? (source !== null && /^https?:/i.test(source) ? source : null),
    title: text('title') ?? text('document_title'),
    quote: text('cited_text'),
    start: null,
    end: null,
  };
}

/** A thought; one that we wrapped without any state has none. */
function thought(text: unknown, state: unknown, kind: Opaque['kind']): readonly Part[] | null {
  if (typeof text !== 'string') return null;
  const found = typeof state === 'string' && state !== '' ? readOpaque(state, kind, null, OWN_VENDOR) : null;
  const opaque = found === null || found.data === '' ? null : found;
  return text === '' && opaque === null ? [] : [{ type: 'reasoning', text, summary: false, opaque }];
}
