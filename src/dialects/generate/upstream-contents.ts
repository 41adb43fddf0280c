/**
 * Turns of the canonical model as contents of this dialect: both roles in turn, results right behind their calls, system
 * words on top, signatures for their maker alone.
 */
import type { Call, CanonicalRequest, JsonText, Part, ToolResult, Turn } from '../canonical.ts';
import type { UpstreamWrite } from '../contract.ts';
import { argumentsObject, objectText } from '../cross/json-text.ts';
import type { MediaPart } from '../cross/media.ts';
import { mayGo, REASONING_DROPPED, THOUGHTS_LEFT_OUT } from '../cross/opaque-marks.ts';
import type { RequestChanges } from '../cross/request-changes.ts';
import type { ToolRenaming } from '../cross/tool-names.ts';
import { writeOutput } from './function-output.ts';
import { CALLS_FLATTENED, callText, resultText } from './signatures.ts';

const SYSTEM_MOVED = 'system turns moved to the top';
const SYSTEM_ALONE = 'system words as what the user says';

interface Content {
  readonly role: 'user' | 'model';
  /** They answer the calls before, and come first. */
  readonly results: JsonText[];
  readonly parts: JsonText[];
}

export interface WrittenContents {
  /** Null = none. */
  readonly system: JsonText | null;
  readonly contents: JsonText;
  /** Signatures go along. */
  readonly opaque: boolean;
}

export function writeContents(
  request: CanonicalRequest,
  write: UpstreamWrite,
  renaming: ToolRenaming,
  changes: RequestChanges,
): WrittenContents {
  const writer = new ContentsWriter(request, write, renaming, changes);
  const system = request.system.flatMap((part) => writer.part(part) ?? []);
  for (const [at, turn] of request.turns.entries()) {
    if (turn.role !== 'system') {
      writer.turn(turn, at);
      continue;
    }
    changes.note(SYSTEM_MOVED);
    system.push(...turn.parts.flatMap((part) => writer.part(part) ?? []));
  }
  const { opaque } = writer;
  const contents = writer.contents.map(contentText);
  if (contents.length > 0 || system.length === 0) {
    const instruction = system.length === 0 ? null : `{"parts":[${system.join(',')}]}`;
    return { system: instruction, contents: `[${contents.join(',')}]`, opaque };
  }
  // Without a word of the user's there is nothing to answer.
  changes.note(SYSTEM_ALONE);
  const said = contentText({ role: 'user', results: [], parts: system });
  return { system: null, contents: `[${said}]`, opaque };
}

function contentText({ role, results, parts }: Content): JsonText {
  return `{"role":"${role}","parts":[${[...results, ...parts].join(',')}]}`;
}

class ContentsWriter {
  readonly contents: Content[] = [];
  opaque = false;
  readonly #write: UpstreamWrite;
  readonly #renaming: ToolRenaming;
  readonly #changes: RequestChanges;
  /** Call id → name. */
  readonly #called = new Map<string, string>();
  /** Ids of calls that went as text. */
  readonly #flattened = new Set<string>();
  /** The last turn in which the user says more than what calls gave. */
  readonly #lastSpoken: number;

  constructor({ turns }: CanonicalRequest, write: UpstreamWrite, renaming: ToolRenaming, changes: RequestChanges) {
    this.#write = write;
    this.#renaming = renaming;
    this.#changes = changes;
    this.#lastSpoken = turns.findLastIndex(
      ({ role, parts }) => role === 'user' && !parts.some(({ type }) => type === 'result'),
    );
    for (const { parts } of turns) {
      for (const part of parts) if (part.type === 'call') this.#called.set(part.id, part.name);
    }
  }

  turn({ role, parts }: Turn, at: number): void {
    if (role === 'assistant') this.#flattenUnsigned(parts, at);
    const results = parts.flatMap((part) => (part.type === 'result' ? this.#result(part) : []));
    const others = parts.flatMap((part) => this.part(part) ?? []);
    if (results.length + others.length === 0) return;
    const spoken = role === 'assistant' ? 'model' : 'user';
    const last = this.contents.at(-1);
    if (last?.role === spoken) {
      last.results.push(...results);
      last.parts.push(...others);
    } else {
      this.contents.push({ role: spoken, results, parts: others });
    }
  }

  /** Null = it has nothing that the dialect would take. */
  part(part: Part): JsonText | null {
    switch (part.type) {
      case 'text':
        if (part.text === '') return null;
        return objectText([['text', JSON.stringify(part.text)], ...this.#signature(part.opaque)]);
      case 'refusal':
        return part.text === '' ? null : objectText([['text', JSON.stringify(part.text)]]);
      case 'reasoning':
        return this.#reasoning(part);
      case 'media':
        return this.#media(part);
      case 'call':
        return this.#call(part);
      case 'result':
        return null;
    }
  }

  /**
   * Models that insist on signed calls look at those since the user last spoke, and at the first of each answer. Told as
   * text they are understood, and nothing is refused.
   */
  #flattenUnsigned(parts: readonly Part[], at: number): void {
    if (at < this.#lastSpoken || !this.#write.target.lacks.has('unsigned_calls')) return;
    const calls = parts.filter((part) => part.type === 'call');
    const first = calls[0];
    if (first === undefined || (first.opaque !== undefined && mayGo(first.opaque, this.#write))) return;
    for (const call of calls) this.#flattened.add(call.id);
    this.#changes.note(CALLS_FLATTENED);
  }

  #signature(opaque: Call['opaque']): [string, JsonText][] {
    if (opaque === undefined) return [];
    if (mayGo(opaque, this.#write)) {
      this.opaque = true;
      return [['thoughtSignature', JSON.stringify(opaque.data)]];
    }
    this.#changes.note(REASONING_DROPPED);
    return [];
  }

  /** Only what its maker signed is taken back; a thought without is the client's own copy. */
  #reasoning({ text, opaque }: Extract<Part, { type: 'reasoning' }>): JsonText | null {
    if (opaque === null && text !== '') this.#changes.mention(THOUGHTS_LEFT_OUT);
    const signature = this.#signature(opaque ?? undefined);
    if (signature.length === 0) return null;
    const thought: [string, JsonText][] = text === '' ? [] : [['thought', 'true']];
    return objectText([['text', JSON.stringify(text)], ...thought, ...signature]);
  }

  #call(call: Call): JsonText {
    const { id, name, form, input, opaque } = call;
    const args = form === 'custom' ? objectText([['input', JSON.stringify(input)]]) : argumentsObject(input);
    const outward = this.#renaming.outward(name);
    if (this.#flattened.has(id)) {
      if (opaque !== undefined) this.#changes.note(REASONING_DROPPED);
      return objectText([['text', JSON.stringify(callText(outward, args))]]);
    }
    const called = objectText([
      ['id', JSON.stringify(id)],
      ['name', JSON.stringify(outward)],
      ['args', args],
    ]);
    return objectText([['functionCall', called], ...this.#signature(opaque)]);
  }

  #result(result: ToolResult): JsonText[] {
    const name = this.#renaming.outward(result.name ?? this.#called.get(result.callId) ?? result.callId);
    const response = writeOutput(result);
    const media = result.parts.filter((part) => part.type === 'media');
    if (this.#flattened.has(result.callId)) {
      const said = objectText([['text', JSON.stringify(resultText(name, response))]]);
      return [said, ...media.map((part) => this.#media(part))];
    }
    const members: [string, JsonText][] = [
      ['id', JSON.stringify(result.callId)],
      ['name', JSON.stringify(name)],
      ['response', response],
    ];
    if (media.length > 0) members.push(['parts', `[${media.map((part) => this.#media(part)).join(',')}]`]);
    return [objectText([['functionResponse', objectText(members)]])];
  }

  /** An address that nobody fetched goes as one: the upstream says whether it takes it. */
  #media({ source, mime }: MediaPart): JsonText {
    if (source.by === 'text') return inline('text/plain', Buffer.from(source.text).toString('base64'));
    if (source.by === 'base64') return inline(mime ?? DEFAULT_MIME, source.data);
    const fetched = this.#write.fetched?.get(source.url);
    if (fetched !== undefined) return inline(fetched.mime, fetched.base64);
    const file = { ...(mime === null ? {} : { mimeType: mime }), fileUri: source.url };
    return JSON.stringify({ fileData: file });
  }
}

const DEFAULT_MIME = 'application/octet-stream';

function inline(mimeType: string, data: string): JsonText {
  return JSON.stringify({ inlineData: { mimeType, data } });
}
