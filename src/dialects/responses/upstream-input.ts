/** Canonical turns as the input of a Responses upstream. */
import type { Call, CanonicalRequest, JsonText, Part, ToolResult, Turn } from '../canonical.ts';
import type { UpstreamWrite } from '../contract.ts';
import { objectText } from '../cross/json-text.ts';
import { type MediaPart, urlOf } from '../cross/media.ts';
import { mayGo, REASONING_DROPPED, THOUGHTS_LEFT_OUT } from '../cross/opaque-marks.ts';
import type { RequestChanges } from '../cross/request-changes.ts';
import type { ToolRenaming } from '../cross/tool-names.ts';

export interface WrittenInput {
  readonly instructions: string | null;
  /** One JSON array. */
  readonly input: JsonText;
}

const FLAG_DROPPED = 'dropped error flag of a tool result';
/** Longest `call_id`. */
const MOST_ID_CHARS = 64;

export function writeInput(
  request: CanonicalRequest,
  write: UpstreamWrite,
  renaming: ToolRenaming,
  changes: RequestChanges,
): WrittenInput {
  return new InputWriter(write, renaming, changes).write(request);
}

class InputWriter {
  readonly #write: UpstreamWrite;
  readonly #renaming: ToolRenaming;
  readonly #changes: RequestChanges;
  readonly #items: JsonText[] = [];
  /** Ids of calls of custom tools: their results have a form of their own. */
  readonly #custom = new Set<string>();

  constructor(write: UpstreamWrite, renaming: ToolRenaming, changes: RequestChanges) {
    this.#write = write;
    this.#renaming = renaming;
    this.#changes = changes;
  }

  write({ system, turns }: CanonicalRequest): WrittenInput {
    const [only] = system;
    const instructions = system.length === 1 && only?.type === 'text' ? only.text : null;
    if (instructions === null && system.length > 0) this.#message('developer', system);
    for (const turn of turns) this.#turn(turn);
    return { instructions, input: `[${this.#items.join(',')}]` };
  }

  #turn({ role, parts }: Turn): void {
    if (role === 'assistant') this.#spoken(parts);
    else if (role === 'system') this.#message('developer', parts);
    else this.#heard(parts);
  }

  /** Results stand beside messages, in the order they came. */
  #heard(parts: readonly Part[]): void {
    let said: Part[] = [];
    for (const part of parts) {
      if (part.type !== 'result') {
        said.push(part);
        continue;
      }
      this.#message('user', said);
      said = [];
      this.#result(part);
    }
    this.#message('user', said);
  }

  #message(role: 'user' | 'developer', parts: readonly Part[]): void {
    const content = parts.flatMap((part) => this.#inputPart(part));
    if (content.length > 0) this.#items.push(`{"type":"message","role":"${role}","content":[${content.join(',')}]}`);
  }

  #inputPart(part: Part): JsonText[] {
    switch (part.type) {
      case 'text':
        if (part.opaque !== undefined) this.#changes.note(REASONING_DROPPED);
        return part.text === '' ? [] : [textPart(part.text)];
      case 'refusal':
        return part.text === '' ? [] : [textPart(part.text)];
      case 'media':
        return [mediaPart(part)];
      case 'reasoning':
        this.#thought(part, false);
        return [];
      default:
        return [];
    }
  }

  /** What an assistant said in a row is one message; thoughts and calls stand between. */
  #spoken(parts: readonly Part[]): void {
    let said: JsonText[] = [];
    let shown: Part[] = [];
    const flush = (): void => {
      if (said.length > 0) {
        this.#items.push(`{"type":"message","role":"assistant","content":[${said.join(',')}]}`);
      }
      said = [];
    };
    const thoughts = thoughtsThatLead(parts);
    for (const part of parts) {
      if (part.type === 'text' || part.type === 'refusal') {
        if (part.text !== '') said.push(spokenPart(part));
        if (part.type === 'text' && part.opaque !== undefined) this.#changes.note(REASONING_DROPPED);
      } else if (part.type === 'media') {
        shown = [...shown, part];
      } else if (part.type === 'call') {
        flush();
        this.#call(part);
      } else if (part.type === 'reasoning') {
        flush();
        this.#thought(part, thoughts.has(part));
      }
    }
    flush();
    if (shown.length === 0) return;
    this.#changes.note('images of the assistant moved');
    this.#message('user', shown);
  }

  #thought({ text, opaque }: Extract<Part, { type: 'reasoning' }>, leads: boolean): void {
    if (opaque === null) {
      if (text !== '') this.#changes.mention(THOUGHTS_LEFT_OUT);
    } else if (!leads || !mayGo(opaque, this.#write)) {
      this.#changes.note(REASONING_DROPPED);
    } else {
      const summary = text === '' ? [] : [{ type: 'summary_text', text }];
      const id = opaque.id === null ? {} : { id: opaque.id };
      this.#items.push(JSON.stringify({ type: 'reasoning', ...id, summary, encrypted_content: opaque.data }));
    }
  }

  #call({ id, name, form, input, opaque }: Call): void {
    if (opaque !== undefined) this.#changes.note(REASONING_DROPPED);
    const isCustom = form === 'custom';
    if (isCustom) this.#custom.add(id);
    this.#items.push(
      JSON.stringify({
        type: isCustom ? 'custom_tool_call' : 'function_call',
        call_id: callId(id),
        name: this.#renaming.outward(name),
        [isCustom ? 'input' : 'arguments']: input === '' && !isCustom ? '{}' : input,
      }),
    );
  }

  #result({ callId: id, parts, json, failed }: ToolResult): void {
    if (failed) this.#changes.note(FLAG_DROPPED);
    const type = this.#custom.has(id) ? 'custom_tool_call_output' : 'function_call_output';
    this.#items.push(
      objectText([
        ['type', `"${type}"`],
        ['call_id', JSON.stringify(callId(id))],
        ['output', json === null ? this.#output(parts) : JSON.stringify(json)],
      ]),
    );
  }

  /** One text is a text. */
  #output(parts: readonly Part[]): JsonText {
    const [only] = parts;
    if (parts.length === 0) return '""';
    if (parts.length === 1 && only?.type === 'text') return JSON.stringify(only.text);
    return `[${parts.flatMap((part) => this.#inputPart(part)).join(',')}]`;
  }
}

/** A thought goes only with what it led to, within its turn. */
function thoughtsThatLead(parts: readonly Part[]): ReadonlySet<Part> {
  const leading = new Set<Part>();
  const last = parts.findLastIndex(({ type }) => type === 'call' || type === 'text' || type === 'refusal');
  parts.forEach((part, at) => {
    if (at < last) leading.add(part);
  });
  return leading;
}

function textPart(text: string): JsonText {
  return JSON.stringify({ type: 'input_text', text });
}

function spokenPart(part: Extract<Part, { type: 'text' | 'refusal' }>): JsonText {
  if (part.type === 'refusal') return JSON.stringify({ type: 'refusal', refusal: part.text });
  const annotations = (part.citations ?? []).flatMap((citation) => {
    const { url, title, start, end } = citation;
    if (url === null) return [];
    return [{ type: 'url_citation', url, title: title ?? '', start_index: start ?? 0, end_index: end ?? start ?? 0 }];
  });
  return JSON.stringify({ type: 'output_text', text: part.text, annotations });
}

function mediaPart(part: MediaPart): JsonText {
  const { source, name, detail } = part;
  if (source.by === 'text') return textPart(name === null ? source.text : `${name}:\n${source.text}`);
  const more = detail === null ? {} : { detail };
  if (part.media === 'image') return JSON.stringify({ type: 'input_image', image_url: urlOf(part), ...more });
  // Data wants a name that says what it is.
  const held =
    source.by === 'url'
      ? { file_url: source.url, ...(name === null ? {} : { filename: name }) }
      : { file_data: urlOf(part), filename: name ?? 'document.pdf' };
  return JSON.stringify({ type: 'input_file', ...held, ...more });
}

/** Ids of other dialects may be longer: the same one is always cut to the same. */
function callId(id: string): string {
  if (id.length <= MOST_ID_CHARS) return id;
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return `${id.slice(0, MOST_ID_CHARS - 9)}_${(hash >>> 0).toString(16).padStart(8, '0')}`;
}
